import { sql } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { say } from './settle.ts';

/** Ends at most `countMax` results whose services have said nothing for too long, and returns their number. */
export async function endSilentResults(store: Store, countMax: number): Promise<number> {
  const { rows } = await rowsOf({ id: text, run_id: text, workspace_id: text })`
    select t.id, s.run_id, r.workspace_id from ws_task_results t
      join ws_task_stages s on s.id = t.stage_id join ws_runs r on r.id = s.run_id
     where t.until < now() order by t.until limit ${countMax}`.execute(store.db);
  for (const { id, run_id: runId, workspace_id: workspaceId } of rows) {
    const said = { status: 'errored', message: 'The service has not reported its result in time.' } as const;
    await say(store, { id, runId, workspaceId }, said, sql`t.until < now()`).catch((error: unknown) => {
      // The workspace was deleted meanwhile.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  }
  return rows.length;
}
