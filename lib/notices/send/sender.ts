import { setTimeout as pause } from 'node:timers/promises';
import { type SendParts, sendNext } from './next.ts';
import { claimTurns, type Turn } from './turns.ts';

/** Receivers that a process serves at the same time. */
const atOnceMax = 32;
/** Interval of the looks for newly due messages while calls are in progress, in milliseconds. */
const lookAgainMs = 250;

/**
 * Sends messages until `signal` aborts or nothing is due; at the end all calls are finished or aborted. Several processes may do this at
 * the same time. A turn that fails leaves its claim to expire, and the others go on.
 *
 * @returns the number of turns
 */
export async function sendDue(parts: SendParts, signal: AbortSignal): Promise<number> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let turns = 0;
  const begin = (turn: Turn) => {
    const sending: Promise<void> = sendNext(parts, turn, signal)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
  };
  try {
    while (!signal.aborted) {
      const room = atOnceMax - underWay.size;
      const claimed = room > 0 ? await claimTurns(parts.store, room) : [];
      turns += claimed.length;
      for (const turn of claimed) begin(turn);
      if (underWay.size === 0) break;
      await Promise.race([...underWay, pause(lookAgainMs, undefined, { signal }).catch(() => {})]);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
  return turns;
}
