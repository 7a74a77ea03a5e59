import { conflict } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import { callerNow, makerOf } from '../../access/bearer.ts';
import { findFor } from '../../access/needs/needs.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import { mustHoldLock } from '../state-versions/lock.ts';
import type { StateVersionRow } from '../state-versions/store.ts';

type Db = Pick<Store, 'db'>;

/**
 * The sender of a file of a state version with its present rights: the rights at the time when the address was created may have
 * been revoked.
 *
 * @throws ApiError 404
 */
export async function writerNow(store: Db, row: StateVersionRow, bearer = makerOf(row)): Promise<FoundWorkspace> {
  const caller = await callerNow(store, bearer);
  const named = { workspace_id: row.workspace_id };
  return findFor(store, { workspace: 'write-states' }, { caller, parameters: {}, named });
}

/**
 * A state version accepts its files only from the holder of the lock, and only under the lock under which it was created.
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
    'The lock under which this state version was created has ended: create a new state version under the current lock',
  );
