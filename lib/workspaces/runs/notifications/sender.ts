import { setTimeout as pause } from 'node:timers/promises';
import type { GuardedFetch } from '../../../network/fetch.ts';
import type { Store } from '../../../store/store.ts';
import { sendNext } from './outbox.ts';
import { claimReceivers } from './turns.ts';

/** Receivers that one process calls at once. */
const atOnceMax = 32;
/** How soon what becomes due while calls are under way is looked for. */
const lookAgainMs = 250;

/**
 * Sends messages until `signal` ends or nothing may be sent now; then those under way are cut short or have ended. Several processes
 * may do it at once.
 *
 * @returns how many receivers had a turn
 */
export async function sendDue(
  store: Store,
  guarded: Pick<GuardedFetch, 'fetch'>,
  signal: AbortSignal,
): Promise<number> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let turns = 0;
  const begin = (receiver: Parameters<typeof sendNext>[2]) => {
    const sending: Promise<void> = sendNext(store, guarded, receiver, signal)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  };
  try {
    while (!signal.aborted && failures.length === 0) {
      const claimed = underWay.size < atOnceMax ? await claimReceivers(store, atOnceMax - underWay.size) : [];
      turns += claimed.length;
      claimed.forEach(begin);
      if (underWay.size === 0) break;
      await Promise.race([...underWay, pause(lookAgainMs, undefined, { signal }).catch(() => {})]);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
  return turns;
}
