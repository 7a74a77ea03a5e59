import { sql } from 'kysely';
import { type Log, silentLog } from '#core/log/log.ts';
import type { Store } from '#store/store.ts';
import { childrenPerStepMax } from './reap.ts';
import { type Reaper, reapAll } from './reaper.ts';

/** What tokens are revoked with. */
export interface RevokeParts {
  readonly store: Store;
  /** Deletes revoked tokens. */
  readonly reaper: Reaper;
}

/** Revokes a token with all its descendants. A token that does not exist is a success. */
export async function revokeTree({ store, reaper }: RevokeParts, hash: Buffer): Promise<void> {
  if (await markToken(store, hash)) await reaper.reap();
}

/**
 * Revokes a token alone: its children become orphans, in bounded steps. The token stays valid until the last step, since a revoked
 * token would invalidate its remaining children.
 *
 * @returns false when the token does not exist
 */
export async function revokeAlone({ store }: RevokeParts, hash: Buffer): Promise<boolean> {
  for (let found = true; found; ) {
    const step = await detachStep(store, hash);
    if (step === 'through') return true;
    found = step === 'more';
  }
  return false;
}

/** Locks the token, so that no child is added before it is deleted. */
function detachStep(store: Store, hash: Buffer): Promise<'through' | 'more' | 'absent'> {
  return store.transaction(async (tx) => {
    const held = await sql`
      select 1 from tokens where hash = ${hash} and revoked_at is null for update`.execute(tx);
    if (held.rows.length === 0) return 'absent';
    const { rows } = await sql`
      update tokens set parent = null, orphan = true
       where hash in (select hash from tokens where parent = ${hash} limit ${childrenPerStepMax}) returning 1`.execute(
      tx,
    );
    if (rows.length === childrenPerStepMax) return 'more';
    await sql`delete from tokens where hash = ${hash}`.execute(tx);
    return 'through';
  });
}

/**
 * Deletes tokens that have expired or are used up, with their descendants, and completes interrupted revocations. It starts no further
 * step after `rowsMax` rows.
 */
export const dropExpired = (store: Store, rowsMax: number, log: Log = silentLog): Promise<number> =>
  reapAll({ store, log, ended: () => false }, { ending: 'ended', rowsMax });

/** The pause after each step as a share of its duration, which leaves room for requests. */
const restShare = 0.25;

/** Deletes all such tokens until none is left or `signal` aborts, independently of the sweep's rounds. */
export const dropExpiredSteadily = (store: Store, signal: AbortSignal, log: Log): Promise<number> =>
  reapAll({ store, log, ended: () => signal.aborted }, { ending: 'ended', restShare });

/**
 * Revoking starts with a mark. Once it is committed, no token of the tree below is valid in any process, since a look-up checks the marks
 * of all ancestors (`find/store.ts`). The rows are deleted afterwards (`reap.ts`).
 */
export async function markToken({ db }: Pick<Store, 'db'>, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update tokens set revoked_at = now() where hash = ${hash} and revoked_at is null returning 1`.execute(db);
  return rows.length > 0;
}
