import { ConfigError } from './config.ts';

/** Why nobody listens, by the setting that mends it where that is the port. */
export function listenFailure(cause: unknown, setting: string, port: number): unknown {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') return cause;
  return new ConfigError(`${setting}: port ${port} is taken; end what listens there, or set another one`, { cause });
}
