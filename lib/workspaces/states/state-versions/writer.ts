import { conflict } from '../../../path/jsonapi/error.ts';
import type { Store } from '../../../store/store.ts';
import { callerNow, makerOf } from '../../access/bearer.ts';
import { stateLevels } from '../../access/levels.ts';
import { type FoundWorkspace, findWorkspace, mustHave } from '../../access/workspace.ts';
import { mustHoldLock } from './lock.ts';
import type { StateVersionRow } from './store.ts';

type Db = Pick<Store, 'db'>;

/**
 * Whoever sends a file of a state version, with the rights of now: those that the maker had when the address was made may have
 * ended.
 *
 * @throws ApiError 404
 */
export async function writerNow(store: Db, row: StateVersionRow, bearer = makerOf(row)): Promise<FoundWorkspace> {
  const caller = await callerNow(store, bearer);
  const found = await findWorkspace(store, caller, { workspace_id: row.workspace_id });
  mustHave(found.levels.state_versions >= stateLevels.write);
  return found;
}

/**
 * A state version takes its files under the lock under which it was made, from the holder of it.
 *
 * @throws ApiError 409
 */
export async function mustBeUnderItsLock(
  { db }: Db,
  { workspace, standing, levels }: FoundWorkspace,
  row: StateVersionRow,
): Promise<void> {
  await mustHoldLock(db, workspace, { caller: standing.caller, levels, runId: row.run_id });
  if (workspace.lock_epoch !== row.lock_epoch) throw lockEnded();
}

const lockEnded = () =>
  conflict(
    'The lock under which this state version was made has ended: make a new state version under the present lock',
  );
