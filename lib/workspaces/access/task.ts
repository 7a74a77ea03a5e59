import type { QueryExecutorProvider } from 'kysely';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';

/** The service of a run task: the caller behind the token of its request. */
export type TaskCaller = Extract<ApiCaller, { readonly kind: 'task' }>;

const columns = { id: text, run_id: text, workspace_id: text, organization_id: text };

/** The caller whose token has this hash. Undefined when its result has ended. */
export async function taskCallerOf(db: QueryExecutorProvider, hash: Buffer): Promise<TaskCaller | undefined> {
  const { rows } = await rowsOf(columns)`
    select t.id, s.run_id, r.workspace_id, t.organization_id from ws_task_results t
      join ws_task_stages s on s.id = t.stage_id join ws_runs r on r.id = s.run_id
      join ws_organizations o on o.id = t.organization_id and o.removed_at is null
     where t.hash = ${hash}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id, run_id: runId, workspace_id: workspaceId, organization_id: organizationId } = row;
  return { kind: 'task', id, runId, workspaceId, organizationId, tokenId: id, actsIn: new Set() };
}
