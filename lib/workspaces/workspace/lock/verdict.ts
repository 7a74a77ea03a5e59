import { type ApiError, conflict, notYet } from '../../../path/jsonapi/error.ts';
import { type Holder, nameOf } from './holder.ts';

const unlocking = 'Unable to unlock workspace.';

/**
 * Why a caller may not release a lock; undefined: it may. Only who took a lock releases it, owners of the organization included;
 * others force it (reference, workspaces 1.5). Clients look for parts of these texts.
 */
export function refusalToUnlock(holder: Holder | undefined, caller: Holder, isPending: boolean): ApiError | undefined {
  if (holder === undefined) return conflict(`${unlocking} The workspace is already unlocked.`);
  if (holder.kind !== caller.kind || holder.id !== caller.id)
    return conflict(
      `${unlocking} The workspace is locked by ${nameOf(holder)} and may not be unlocked except by them.`,
    );
  return isPending ? notYet(`${unlocking} The latest state version is still pending.`) : undefined;
}

/** 409 for a workspace that has no lock which could be forced. */
export const notLocked = (): ApiError => conflict(`${unlocking} The workspace is already unlocked.`);

/** 409 for a workspace that is locked, by the caller itself as well. `holder`: undefined when it was released meanwhile. */
export const alreadyLocked = (holder: Holder | undefined): ApiError =>
  conflict(
    `Unable to lock workspace. The workspace is already locked${holder === undefined ? '' : ` by ${nameOf(holder)}`}.`,
  );
