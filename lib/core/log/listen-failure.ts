import { ConfigError } from '../config.ts';

/** Why listening failed; names the setting to change when the port is the reason. */
export function listenFailure(cause: unknown, setting: string, port: number): unknown {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') return cause;
  return new ConfigError(
    `${setting}: port ${port} is in use: end the program that listens there, or set another port`,
    { cause },
  );
}
