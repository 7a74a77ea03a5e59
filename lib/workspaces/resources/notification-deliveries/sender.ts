import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '#store/store.ts';
import type { MessageParts } from '../../contract.ts';
import { sendNext } from './outbox.ts';
import { claimReceivers, type Way, ways } from './turns.ts';

/** Concurrent receivers per way and process. */
const atOnceMax = 32;
/** Interval of the checks for newly due messages while calls are in progress. */
const lookAgainMs = 250;

/**
 * Sends messages until `signal` aborts or nothing is due; at the end all calls are finished or aborted. Several processes may do
 * this concurrently. All organizations share one mail server; when it hangs, webhooks continue.
 *
 * @returns the number of receivers served
 */
export async function sendDue(store: Store, parts: MessageParts, signal: AbortSignal): Promise<number> {
  const underWay: Readonly<Record<Way, Set<Promise<void>>>> = { webhook: new Set(), email: new Set() };
  const all = () => ways.flatMap((way) => [...underWay[way]]);
  const failures: unknown[] = [];
  let turns = 0;
  const begin = (way: Way, receiver: Parameters<typeof sendNext>[2]) => {
    const sending: Promise<void> = sendNext(store, parts, receiver, signal)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay[way].delete(sending));
    underWay[way].add(sending);
  };
  try {
    while (!signal.aborted && failures.length === 0) {
      for (const way of ways) {
        const { size } = underWay[way];
        const claimed = size < atOnceMax ? await claimReceivers(store, way, atOnceMax - size) : [];
        turns += claimed.length;
        for (const receiver of claimed) begin(way, receiver);
      }
      if (all().length === 0) break;
      await Promise.race([...all(), pause(lookAgainMs, undefined, { signal }).catch(() => {})]);
    }
  } finally {
    await Promise.all(all());
  }
  if (failures.length > 0) throw failures[0];
  return turns;
}
