import { type Config, ConfigError } from '../../lib/core/config.ts';
import type { SealStatus } from '../../lib/store/seal/contract.ts';

/** A process without an API takes no key shares: it has the key of an automatic seal, or borrows the root key. @throws ConfigError with neither */
export function mustUnsealItself(config: Config, process: string): void {
  if (config.KEYFERRY_SEAL_KEY !== undefined || config.KEYFERRY_SEAL_KEY_FILE !== undefined) return;
  if (config.KEYFERRY_UNSEAL_ADDRESS !== undefined) return;
  throw new ConfigError(
    `KEYFERRY_SEAL_KEY is not set: the ${process} unseals itself by this key, or by the one in KEYFERRY_SEAL_KEY_FILE; with key shares, KEYFERRY_UNSEAL_ADDRESS names an API that lends it the root key`,
  );
}

/** What somebody has to do before the API serves; undefined: nothing. */
export function firstThing({ state, type }: SealStatus, address: string): string | undefined {
  if (state === 'uninitialised') return `the store is new; initialise it: POST ${address}/v1/sys/init`;
  if (state === 'ready') return undefined;
  if (type === 'shamir') return `sealed; unseal it by key shares: POST ${address}/v1/sys/unseal`;
  return 'sealed; start again with the KEYFERRY_SEAL_KEY that the store was initialised with';
}
