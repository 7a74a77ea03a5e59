import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../errors.ts';
import type { Log } from './log.ts';

/** Fields of a line about an outage of the database or of Redis. */
export interface OutageFields {
  readonly outage: true;
  readonly error: string;
}

/** The fields for a line about this error; undefined when it is not about an outage. */
export function outageOf(error: unknown): OutageFields | undefined {
  return error instanceof AppError && error.kind === 'unavailable' ? { outage: true, error: error.message } : undefined;
}

const everyMs = 1_000;

type Schedule = (work: () => void, ms: number) => void;

const schedule: Schedule = (work, ms) => {
  // The timer must not keep a finished process alive.
  setTimeout(work, ms).unref();
};

/**
 * Limits lines with the field `outage` to one a second, because everything fails at once when the database becomes unavailable,
 * and again with each retry. The first line is logged at once; of those that follow within a second, only the last is, with the
 * number of the others in `suppressed`.
 */
export function withRareOutages(log: Log, after: Schedule = schedule): Log {
  let silent = false;
  let suppressed = 0;
  let last: (() => void) | undefined;
  const open = () => {
    silent = last !== undefined;
    last?.();
    last = undefined;
    if (silent) after(open, everyMs);
  };
  const limited = (write: (fields: object, message: string) => void) => (fields: object, message: string) => {
    if (!('outage' in fields)) return write(fields, message);
    if (!silent) {
      silent = true;
      after(open, everyMs);
      return write(fields, message);
    }
    if (last !== undefined) suppressed += 1;
    last = AsyncLocalStorage.bind(() => {
      write({ ...fields, ...(suppressed === 0 ? {} : { suppressed }) }, message);
      suppressed = 0;
    });
  };
  return {
    ...log,
    debug: limited(log.debug),
    info: limited(log.info),
    warn: limited(log.warn),
    error: limited(log.error),
  };
}
