/** Delays between attempts: the first, doubled each time up to the longest, in milliseconds. */
const [delayMsFirst, delayMsMax] = [30_000, 10_800_000];
/** How much a delay differs at random, as a share. */
const jitter = 0.2;
/** Attempts in total. The delays between them add up to about 25 hours. */
export const attemptsMax = 17;
/** A message that waits longer is dead too, in milliseconds: its receiver was too slow for its number of messages. */
export const waitingMsMax = 108_000_000;

/** A receiver that has just failed gets no other message for a moment, in milliseconds. */
const [pauseMsFirst, pauseMsMax] = [1_000, 60_000];

/**
 * How long to wait after a failed attempt; undefined after the last one.
 * @param attempt counted from 1; this attempt has failed
 * @param random from 0 up to, not including, 1
 */
export function retryDelayMs(attempt: number, waitedMs: number, random: number): number | undefined {
  if (attempt >= attemptsMax || waitedMs >= waitingMsMax) return undefined;
  const full = Math.min(delayMsMax, delayMsFirst * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full * (1 - jitter + 2 * jitter * random));
}

/** How long a receiver rests after this many failures in a row. */
export const pauseMs = (failures: number): number =>
  Math.min(pauseMsMax, pauseMsFirst * 2 ** Math.min(Math.max(0, failures - 1), 30));
