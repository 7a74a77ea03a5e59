import type { Transaction } from 'kysely';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { type FoundWorkspace, findWorkspace, type WorkspaceRow, workspaceColumns } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { queuePlans } from '../run-lifecycle/transition.ts';
import { endLockedStates, isStatePending } from '../state-versions/promote.ts';
import { workspaceDocument } from '../workspaces/document.ts';
import { alreadyLocked, holderIn, holderOf, notLocked, refusalToUnlock } from './verdict.ts';

/** Locks a workspace for the caller. Only one of several concurrent callers succeeds. @throws ApiError 409 when it is locked already */
export async function lockWorkspace(
  parts: WorkspaceParts,
  found: FoundWorkspace,
  reason: string,
): Promise<DocumentReply> {
  const workspace = await take(parts.store, found, reason);
  return { data: await workspaceDocument(parts, { ...found, workspace }) };
}

async function take(
  store: WorkspaceParts['store'],
  { workspace: { id: workspaceId }, standing: { caller } }: FoundWorkspace,
  reason: string,
): Promise<WorkspaceRow> {
  const { kind, id } = holderOf(caller);
  const { rows } = await rowsOf(workspaceColumns)`
    update ws_workspaces set lock_kind = ${kind}, lock_holder = ${id}, lock_reason = ${reason},
           lock_epoch = lock_epoch + 1
     where id = ${workspaceId} and lock_kind is null
    returning *`.execute(store.db);
  const [row] = rows;
  if (row !== undefined) return row;
  // Read again, since the holder may have changed since the request began.
  const { workspace } = await findWorkspace(store, caller, { workspace_id: workspaceId });
  throw alreadyLocked(holderIn(workspace));
}

/**
 * Releases a lock of the caller. The latest intermediate state becomes the current one.
 *
 * @throws ApiError 409 when it is not locked or locked by another holder, 503 while the latest state is pending
 */
export const unlockWorkspace = (parts: WorkspaceParts, found: FoundWorkspace): Promise<DocumentReply> =>
  release(parts, found, async (tx, held) => {
    const holder = holderOf(found.standing.caller);
    const refusal = refusalToUnlock(holderIn(held), holder, await isStatePending(tx, held));
    if (refusal !== undefined) throw refusal;
  });

/** Releases any lock. Pending state versions are discarded. @throws ApiError 409 when the workspace is not locked */
export const forceUnlockWorkspace = (parts: WorkspaceParts, found: FoundWorkspace): Promise<DocumentReply> =>
  release(parts, found, async (_tx, held) => {
    if (holderIn(held) === undefined) throw notLocked();
  });

/** `allow` throws unless the lock of the workspace row may be released. */
async function release(
  parts: WorkspaceParts,
  found: FoundWorkspace,
  allow: (tx: Transaction<Database>, held: WorkspaceRow) => Promise<void>,
): Promise<DocumentReply> {
  const { id } = found.workspace;
  const workspace = await parts.store.transaction(async (tx) => {
    const held = await holdWorkspace(tx, id);
    await allow(tx, held);
    await endLockedStates(tx, id);
    const { rows } = await rowsOf(workspaceColumns)`
      update ws_workspaces set lock_kind = null, lock_holder = null, lock_reason = null where id = ${id} returning *`.execute(
      tx,
    );
    await queuePlans(tx, id);
    return rows[0] ?? held;
  });
  return { data: await workspaceDocument(parts, { ...found, workspace }) };
}
