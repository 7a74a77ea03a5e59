import { systemClock } from '#core/clock.ts';

/** A header of an answer by its name in lower case; undefined or null when it is absent. */
export type HeaderOf = (name: string) => unknown;

/** The longest wait, whatever a header says. */
const waitMsMax = 24 * 60 * 60 * 1000;

/**
 * The wait of the header Retry-After, in milliseconds. The header has seconds or a date, which is compared with the remote's own
 * clock. Undefined when it is absent or invalid.
 *
 * @param receivedAt for answers without the header Date
 */
export function retryAfterMs(header: HeaderOf, receivedAt: Date = systemClock.now()): number | undefined {
  const asked = textOf(header('retry-after')).trim();
  if (/^\d+(\.\d+)?$/.test(asked)) return boundedWaitMs(Math.ceil(Number(asked) * 1000));
  // A valid date begins with the name of its day, but Date.parse accepts other texts too.
  const until = /^[A-Za-z]{3}/.test(asked) ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(until) ? undefined : boundedWaitMs(until - remoteNow(header, receivedAt).getTime());
}

/** The remote's time when it answered, or ours where the answer has no date. */
export function remoteNow(header: HeaderOf, receivedAt: Date): Date {
  const at = Date.parse(textOf(header('date')));
  return Number.isNaN(at) ? receivedAt : new Date(at);
}

/** At least 0, and at most a day. */
export const boundedWaitMs = (waitMs: number): number => Math.min(Math.max(waitMs, 0), waitMsMax);

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Ids that may be logged unchanged: ids of requests, and of the places that handled one. */
const sane = /^[\w.:/+=-]{1,128}$/;

/**
 * The remote's id of a request, by which its support can find the request.
 *
 * @param name of the header, such as `x-ms-request-id`
 */
export function requestIdOf(header: HeaderOf, name: string): string | undefined {
  const id = header(name);
  return typeof id === 'string' && sane.test(id) ? id : undefined;
}
