import { takeTurns } from '#core/concurrency/take-turns.ts';
import { type SendParts, sendNext } from './next.ts';
import { claimTurns } from './turns.ts';

/** Receivers that a process serves at the same time. */
const atOnceMax = 32;

/**
 * Sends messages until `signal` aborts or nothing is due; at the end all calls are finished or aborted. Several processes may do this at
 * the same time. A turn that fails leaves its claim to expire, and the others go on.
 *
 * @returns the number of turns
 */
export function sendDue(parts: SendParts, signal: AbortSignal): Promise<number> {
  const claim = async (room: number) =>
    (await claimTurns(parts.store, room)).map((turn) => () => sendNext(parts, turn, signal));
  return takeTurns([{ atOnceMax, claim }], signal);
}
