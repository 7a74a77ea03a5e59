import type { Transaction } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { triggeredBy } from '../run-triggers/rows.ts';
import { insertRun } from './insert.ts';
import type { RunRow } from './store.ts';

/**
 * Queues runs in the workspaces triggered by the workspace of an applied run. A workspace that cannot run, for example without a
 * configuration, is skipped.
 */
export async function triggerRuns(
  tx: Transaction<Database>,
  store: Pick<Store, 'barrier'>,
  run: RunRow,
): Promise<void> {
  for (const workspaceId of await triggeredBy(tx, run.workspace_id)) {
    const { rows } = await rowsOf({ applies: bool })`
      select coalesce(settings->'auto-apply-run-trigger' = 'true', false) as applies from ws_workspaces
       where id = ${workspaceId}`.execute(tx);
    await insertRun(tx, store, {
      workspaceId,
      actor: { kind: run.created_by_kind ?? 'user', id: run.created_by ?? '' },
      message: `Triggered by ${run.id}`,
      source: 'tfe-run-trigger',
      settings: { 'trigger-reason': 'run-trigger' },
      planOnly: false,
      autoApply: rows[0]?.applies === true,
    }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }
}
