import { type Config, ConfigError, sealOf } from '#core/config.ts';
import type { SealStatus } from '#store/seal/contract.ts';

/** A process without an API accepts no key shares: it has the key of an automatic seal, or borrows the root key. @throws ConfigError with neither */
export function mustUnsealItself(config: Config, process: string): void {
  if (sealOf(config).seal.type !== 'shamir' || config.KEYFERRY_UNSEAL_ADDRESS !== undefined) return;
  throw new ConfigError(
    `KEYFERRY_SEAL_KEY is not set: the ${process} unseals itself with this key, with the one in KEYFERRY_SEAL_KEY_FILE, or with the key service of KEYFERRY_SEAL; with key shares, KEYFERRY_UNSEAL_ADDRESS names an API that lends it the root key`,
  );
}

/** What an operator must do before the API serves; undefined if nothing. */
export function firstThing({ state, type, migration }: SealStatus, address: string): string | undefined {
  if (state === 'uninitialised') return `the store is new; initialise it: POST ${address}/v1/sys/init`;
  if (state === 'ready') return undefined;
  if (migration) {
    return `sealed; the store has the seal ${type}, and another one is configured: POST ${address}/v1/sys/unseal with "migrate": true`;
  }
  if (type === 'shamir') return `sealed; unseal it with key shares: POST ${address}/v1/sys/unseal`;
  if (type === 'static') return 'sealed; start again with the KEYFERRY_SEAL_KEY that the store is sealed with';
  return `sealed until the key service ${type} answers; the log has its reason`;
}
