import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, pino } from 'pino';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** One JSON line per entry on standard error; standard output is for people. */
export function openLog(
  config: Pick<Config, 'KEYFERRY_LOG_LEVEL'>,
  destination: DestinationStream = pino.destination(2),
): Log {
  const scopes = new AsyncLocalStorage<object>();
  const mixin = () => ({ ...scopes.getStore() });
  return Object.assign(pino({ level: config.KEYFERRY_LOG_LEVEL, base: null, mixin }, destination), {
    scope: <Result>(fields: object, work: () => Result): Result =>
      scopes.run({ ...scopes.getStore(), ...fields }, work),
  });
}
