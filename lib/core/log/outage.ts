import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

/** Fields of a line about an outage: of a server that we stand on and that is not there. */
export interface OutageFields {
  readonly outage: true;
  readonly error: string;
}

/** For a line about this error; undefined: it is none of an outage. */
export function outageOf(error: unknown): OutageFields | undefined {
  return error instanceof AppError && error.kind === 'unavailable' ? { outage: true, error: error.message } : undefined;
}

const everyMs = 1_000;

type Schedule = (work: () => void, ms: number) => void;

const schedule: Schedule = (work, ms) => {
  // It must not keep a process alive that is done.
  setTimeout(work, ms).unref();
};

/**
 * The same log, but of all lines with the field `outage` one a second at most: everything that runs fails at once when the
 * database goes, and again with each try. The first comes through at once; of those that follow within a second the last
 * one does, with the number of the others in `suppressed`.
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
