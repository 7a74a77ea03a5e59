import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, pino } from 'pino';
import type { Config } from '../config.ts';
import { withLevels } from './levels.ts';
import type { Log } from './log.ts';
import { withRareOutages } from './outage.ts';

/** Writes one JSON line per entry to standard error; standard output is for the user. An outage is logged at most once a second. */
export function openLog(
  config: Pick<Config, 'KEYFERRY_LOG_LEVEL'>,
  destination: DestinationStream = pino.destination(2),
): Log {
  const scopes = new AsyncLocalStorage<object>();
  const mixin = () => ({ ...scopes.getStore() });
  const log = pino({ level: 'debug', base: null, mixin }, destination);
  const all = withRareOutages({
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    scope: <Result>(fields: object, work: () => Result): Result =>
      scopes.run({ ...scopes.getStore(), ...fields }, work),
  });
  return withLevels(all, config.KEYFERRY_LOG_LEVEL);
}

/**
 * The log of a function. Each line is written before the call returns, because the platform may freeze or end the process right after an
 * invocation.
 */
export const openFunctionLog = (config: Pick<Config, 'KEYFERRY_LOG_LEVEL'>): Log =>
  openLog(config, pino.destination({ dest: 2, sync: true }));
