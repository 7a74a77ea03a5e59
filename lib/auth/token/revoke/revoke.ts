import { sql } from 'kysely';
import { type Log, silentLog } from '../../../core/log.ts';
import type { Store } from '../../../store/store.ts';
import type { TokenParts } from '../parts.ts';
import { markToken } from './mark.ts';
import { childrenPerStepMax } from './reap.ts';
import { reapAll } from './reaper.ts';

type RevokeParts = Pick<TokenParts, 'store' | 'reaper'>;

/** Revokes a token with all its descendants. A token that is not there is a success. */
export async function revokeTree({ store, reaper }: RevokeParts, hash: Buffer): Promise<void> {
  if (await markToken(store, hash)) await reaper?.reap();
}

/**
 * Revokes a token alone: its children become orphans, in bounded steps. Until the last of them it stays valid, since below a
 * revoked token nothing is.
 *
 * @returns false when there is no such token
 */
export async function revokeAlone({ store }: RevokeParts, hash: Buffer): Promise<boolean> {
  for (let found = true; found; ) {
    const step = await detachStep(store, hash);
    if (step === 'through') return true;
    found = step === 'more';
  }
  return false;
}

/** The token is held, so no child comes between the last look and its end. */
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
 * Deletes tokens that have expired or are used up, with their descendants, and those whose revocation was cut off. It begins
 * no further step when so many are gone.
 */
export const dropExpired = (store: Store, rowsMax: number, log: Log = silentLog): Promise<number> =>
  reapAll({ store, log, ended: () => false }, { ending: 'ended', rowsMax });

/** The pause after each step, as a share of its time: requests go on beside it. */
const restShare = 0.25;

/** The same until none is left, or `signal` ends: a loop of its own beside the rounds of the sweep. */
export const dropExpiredSteadily = (store: Store, signal: AbortSignal, log: Log): Promise<number> =>
  reapAll({ store, log, ended: () => signal.aborted }, { ending: 'ended', restShare });
