import type { CompactVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Remote } from '#auth/login/remote/remote.ts';
import type { Clock } from '#core/clock.ts';
import type { JwtConfig } from '../config.ts';
import { publicKey } from '../public-key.ts';
import { discover, type Provider } from './discovery.ts';
import { type KeySetSource, openKeySet, readKeySet } from './key-set.ts';

/** The keys of mounts, from their configuration. */
export interface Keys {
  /** The keys that verify tokens, and the issuer that a provider names. @throws RemoteFailure */
  of(config: JwtConfig): Promise<Found>;
  /** The provider that the configuration names. @throws RemoteFailure */
  provider(config: JwtConfig): Promise<Provider>;
  /** Reads everything that the configuration names, and clears it from the caches. @throws RemoteFailure */
  check(config: JwtConfig): Promise<void>;
}

interface Found {
  readonly keys: readonly Key[];
  readonly issuer: string | undefined;
}

export type Key = CompactVerifyGetKey | NonNullable<ReturnType<typeof publicKey>>;

/** Bound of the caches of all mounts. */
const setsMax = 500;
const providerMs = 600_000;
const failureMs = 3_000;

export function openKeys(remote: Remote, clock: Clock): Keys {
  const sets = new LRUCache<string, CompactVerifyGetKey>({ max: setsMax });
  const providers = new LRUCache<string, Promise<Provider>>({ max: setsMax, ttl: providerMs });

  function setOf(source: KeySetSource): CompactVerifyGetKey {
    const key = keyOf(source);
    const set = sets.get(key) ?? openKeySet(remote, clock, source);
    sets.set(key, set);
    return set;
  }
  function providerOf({ oidc_discovery_url: url, oidc_discovery_ca_pem: caCertificates }: JwtConfig) {
    const key = keyOf({ url, caCertificates });
    const known = providers.get(key);
    if (known !== undefined) return known;
    const asked = discover(remote, url, caCertificates);
    providers.set(key, asked);
    // Concurrent logins share a failure. Later ones soon ask again.
    asked.catch(() => providers.peek(key) === asked && providers.set(key, asked, { ttl: failureMs }));
    return asked;
  }

  return {
    provider: providerOf,
    async of(config) {
      if (config.jwt_validation_pubkeys.length > 0)
        return { keys: config.jwt_validation_pubkeys.flatMap((pem) => publicKey(pem) ?? []), issuer: undefined };
      if (config.oidc_discovery_url === '') return { keys: sourcesOf(config).map(setOf), issuer: undefined };
      const provider = await providerOf(config);
      return { keys: [setOf(keysOfProvider(config, provider))], issuer: provider.issuer };
    },
    async check(config) {
      const provided = config.oidc_discovery_url !== '';
      if (provided)
        providers.delete(keyOf({ url: config.oidc_discovery_url, caCertificates: config.oidc_discovery_ca_pem }));
      const sources = provided ? [keysOfProvider(config, await providerOf(config))] : sourcesOf(config);
      await Promise.all(sources.map((source) => readKeySet(remote, source)));
      for (const source of sources) sets.delete(keyOf(source));
    },
  };
}

const keysOfProvider = ({ oidc_discovery_ca_pem: caCertificates }: JwtConfig, { jwksUrl }: Provider): KeySetSource => ({
  url: jwksUrl,
  caCertificates,
});

const keyOf = ({ url, caCertificates }: KeySetSource): string => `${url} ${caCertificates}`;

function sourcesOf({ jwks_url: url, jwks_ca_pem: caCertificates, jwks_pairs: pairs }: JwtConfig): KeySetSource[] {
  const several = pairs.map((pair) => ({ url: pair.jwks_url, caCertificates: pair.jwks_ca_pem }));
  return url === '' ? several : [{ url, caCertificates }, ...several];
}
