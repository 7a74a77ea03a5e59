import { type ApiError, conflict, notYet } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

const unlocking = 'Unable to unlock workspace.';

/**
 * The reason why a caller may not release a lock, or undefined when it may. Only the holder may release a lock; this includes owners of
 * the organization. Other callers must force it. Clients search for parts of these texts.
 */
export function refusalToUnlock(holder: Holder | undefined, caller: Holder, isPending: boolean): ApiError | undefined {
  if (holder === undefined) return conflict(`${unlocking} The workspace is already unlocked.`);
  if (holder.kind !== caller.kind || holder.id !== caller.id)
    return conflict(
      `${unlocking} The workspace is locked by ${nameOf(holder)} and may not be unlocked except by them.`,
    );
  return isPending ? notYet(`${unlocking} The latest state version is still pending.`) : undefined;
}

/** 409 for a forced unlock of a workspace that is not locked. */
export const notLocked = (): ApiError => conflict(`${unlocking} The workspace is already unlocked.`);

/** 409 for a workspace that is locked, even by the caller itself. `holder` is undefined when the lock was released meanwhile. */
export const alreadyLocked = (holder: Holder | undefined): ApiError =>
  conflict(
    `Unable to lock workspace. The workspace is already locked${holder === undefined ? '' : ` by ${nameOf(holder)}`}.`,
  );

/** The holder of the lock of a workspace. */
interface Holder {
  readonly kind: 'users' | 'teams' | 'runs';
  readonly id: string;
}

/**
 * The holder that a caller locks as: all tokens of a user or a team are one holder. The token of an organization counts as a user
 * with the id of the organization, since clients support only users, teams and runs.
 */
export const holderOf = ({ kind, id }: ApiCaller): Holder => ({ kind: kind === 'team' ? 'teams' : 'users', id });

/** Undefined when the workspace is not locked. */
export const holderIn = ({ lock_kind, lock_holder }: WorkspaceRow): Holder | undefined =>
  lock_kind === null || lock_holder === null ? undefined : { kind: lock_kind, id: lock_holder };

/** A text such as `User user-…`. Clients parse it. */
const nameOf = ({ kind, id }: Holder): string => `${words[kind]} ${id}`;

const words = { users: 'User', teams: 'Team', runs: 'Run' } as const satisfies Record<Holder['kind'], string>;
