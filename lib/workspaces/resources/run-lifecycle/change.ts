import type { Transaction } from 'kysely';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type RunRow, readRun } from './store.ts';

type Tx = Transaction<Database>;

/** Changes the current row of a run. Changes of runs of one workspace are serialized. */
export const changeRun = (
  { store }: Pick<WorkspaceParts, 'store'>,
  { id, workspace_id }: Pick<RunRow, 'id' | 'workspace_id'>,
  change: (tx: Tx, run: RunRow) => Promise<void>,
): Promise<void> =>
  store.transaction(async (tx) => {
    await holdWorkspace(tx, workspace_id);
    await change(tx, await readRun(tx, id));
  });
