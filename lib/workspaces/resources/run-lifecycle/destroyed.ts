import type { Transaction } from 'kysely';
import type { Database } from '#store/tables.ts';
import { announceFact } from '../notification-deliveries/facts.ts';
import type { RunStatus } from './status.ts';
import type { RunRow } from './store.ts';

/** The source of runs that destroy the resources of ephemeral workspaces, as in the API family. */
export const autoDestroySource = 'tfe-infrastructure-lifecycle';

const sentences: Readonly<Partial<Record<RunStatus, string>>> = {
  applied: 'The resources of the workspace were destroyed',
  planned_and_finished: 'The workspace had no resources to destroy',
};

/** Tells the receivers of the workspace how its scheduled destruction ended. */
export async function announceDestroyed(
  tx: Transaction<Database>,
  { id, source, workspace_id }: RunRow,
  status: RunStatus,
): Promise<void> {
  if (source !== autoDestroySource) return;
  await announceFact(tx, workspace_id, {
    scope: 'workspace',
    trigger: 'workspace:auto_destroy_run_results',
    message: sentences[status] ?? `The resources of the workspace were not destroyed: the run is ${status}`,
    details: { run_id: id, run_status: status },
  });
}
