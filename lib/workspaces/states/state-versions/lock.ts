import { conflict } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

type Lock = Pick<WorkspaceRow, 'lock_kind' | 'lock_holder'>;

/**
 * State comes from the holder of the lock alone: the caller, or the run that the request names (reference, workspaces 4).
 *
 * @throws ApiError 409
 */
export function mustHoldLock({ lock_kind, lock_holder }: Lock, caller: ApiCaller, runId: string | null): void {
  if (lock_kind === null) throw conflict('This workspace is not locked and will only accept state uploads when locked');
  const holder = lock_kind === 'runs' ? runId : caller.kind === callerKinds[lock_kind] ? caller.id : null;
  if (holder === lock_holder) return;
  throw conflict(
    `This workspace is locked by ${titles[lock_kind]} ${lock_holder} and will only accept state uploads from them while locked.`,
  );
}

const callerKinds = { users: 'user', teams: 'team' } as const;

/** Holders of locks as texts name them. */
const titles = { users: 'User', teams: 'Team', runs: 'Run' } as const;
