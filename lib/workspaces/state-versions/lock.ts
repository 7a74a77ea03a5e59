import { sql, type Transaction } from 'kysely';
import { conflict, notFound } from '../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../path/jsonapi/row.ts';
import type { Database } from '../../store/tables.ts';

/** A workspace whose row the transaction holds: locks, runs and states of it change one after the other. */
export interface HeldWorkspace {
  readonly id: string;
  readonly lock_kind: 'users' | 'teams' | 'runs' | null;
  readonly lock_holder: string | null;
  readonly current_state_version_id: string | null;
  readonly current_run_id: string | null;
}

/** @throws ApiError 404 when it has gone meanwhile */
export async function holdWorkspace(tx: Transaction<Database>, id: string): Promise<HeldWorkspace> {
  const { rows } = await sql<HeldWorkspace>`
    select id, lock_kind, lock_holder, current_state_version_id, current_run_id from ws_workspaces
     where id = ${id} for update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/**
 * State comes from the holder of the lock alone: the caller, or the run that the request names (reference, workspaces 4).
 *
 * @throws ApiError 409
 */
export function mustHoldLock({ lock_kind, lock_holder }: HeldWorkspace, caller: ApiCaller, runId: string | null): void {
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
