import { sql, type Transaction } from 'kysely';
import { conflict, unprocessable } from '#path/jsonapi/error.ts';
import { bool, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { insertRun } from '../run-lifecycle/insert.ts';
import { isActive } from '../run-lifecycle/store.ts';

type Tx = Transaction<Database>;

/** Why no assessment can begin now. */
const columns = { organization_id: text, has_state: bool, busy: bool, under_way: nullable(text) };

/**
 * Begins an assessment of a workspace, whose row the caller has locked.
 *
 * @throws ApiError 409 while the workspace is locked, has an active run or is assessed; 422 when it has nothing to assess or cannot run
 */
export async function beginAssessment(tx: Tx, store: Pick<Store, 'barrier'>, workspaceId: string): Promise<void> {
  const { rows } = await rowsOf(columns)`
    select w.organization_id, w.resource_count > 0 as has_state,
           w.lock_kind is not null or exists (
             select 1 from ws_runs r where r.workspace_id = w.id and ${isActive('r')} and not r.assessment and not r.plan_only) as busy,
           (select a.id from ws_assessments a where a.workspace_id = w.id and a.succeeded is null limit 1) as under_way
      from ws_workspaces w where w.id = ${workspaceId}`.execute(tx);
  const [state] = rows;
  if (state?.under_way) throw conflict('This workspace is being assessed already');
  if (state?.busy === true) throw conflict('This workspace cannot be assessed: it is locked, or has an active run');
  if (state?.has_state !== true) throw unprocessable('This workspace has no resources to assess');
  const runId = await insertRun(tx, store, {
    workspaceId,
    actor: { kind: 'organization', id: state.organization_id },
    message: 'Assessment',
    source: 'tfe-api',
    settings: { 'refresh-only': true, 'trigger-reason': 'assessment' },
    planOnly: true,
    autoApply: false,
    assessment: true,
  });
  await sql`
    insert into ws_assessments (id, workspace_id, run_id) values (${newId('asmtres')}, ${workspaceId}, ${runId})`.execute(
    tx,
  );
}
