import { systemClock } from '../../../core/clock.ts';

/** A header of an answer by its name in lower case. Absent: undefined or null. */
export type HeaderOf = (name: string) => unknown;

/** Nobody is left alone for longer, whatever a header says. */
const waitMsMax = 24 * 60 * 60 * 1000;

/**
 * How long the header Retry-After asks to wait, in milliseconds. It comes as seconds or as a date; a date is read on the
 * remote's own clock. Undefined: the answer has no such header, or it is neither.
 *
 * @param receivedAt for answers without the header Date
 */
export function retryAfterMs(header: HeaderOf, receivedAt: Date = systemClock.now()): number | undefined {
  const asked = textOf(header('retry-after')).trim();
  if (/^\d+(\.\d+)?$/.test(asked)) return boundedWaitMs(Math.ceil(Number(asked) * 1000));
  // A date begins with the name of its day. The parser of dates takes other texts too.
  const until = /^[A-Za-z]{3}/.test(asked) ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(until) ? undefined : boundedWaitMs(until - remoteNow(header, receivedAt).getTime());
}

/** The remote's time when it answered; ours where it gives none. */
export function remoteNow(header: HeaderOf, receivedAt: Date): Date {
  const at = Date.parse(textOf(header('date')));
  return Number.isNaN(at) ? receivedAt : new Date(at);
}

/** At least 0, and at most a day. */
export const boundedWaitMs = (waitMs: number): number => Math.min(Math.max(waitMs, 0), waitMsMax);

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
