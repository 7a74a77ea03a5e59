import type { CompactVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../core/clock.ts';
import type { Remote } from '../../../login/remote/remote.ts';
import type { JwtConfig } from '../config.ts';
import { discover, type Provider } from './discovery.ts';
import { type KeySetSource, openKeySet, readKeySet } from './key-set.ts';
import { publicKey } from './static-keys.ts';

/** Where the keys of a mount come from. */
export interface Keys {
  /** What tokens may be signed with, and who issues them where a provider says so. @throws RemoteFailure */
  of(config: JwtConfig): Promise<Found>;
  /** Asks for everything that the configuration names, and forgets what was known of it. @throws RemoteFailure */
  check(config: JwtConfig): Promise<void>;
}

interface Found {
  readonly keys: readonly Key[];
  readonly issuer: string | undefined;
}

export type Key = CompactVerifyGetKey | NonNullable<ReturnType<typeof publicKey>>;

/** Of all mounts. */
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
    // A failure is for those who ask with it; the next ones ask again soon.
    asked.catch(() => providers.peek(key) === asked && providers.set(key, asked, { ttl: failureMs }));
    return asked;
  }

  return {
    async of(config) {
      if (config.jwt_validation_pubkeys.length > 0)
        return { keys: config.jwt_validation_pubkeys.flatMap((pem) => publicKey(pem) ?? []), issuer: undefined };
      if (config.oidc_discovery_url === '') return { keys: sourcesOf(config).map(setOf), issuer: undefined };
      const { issuer, jwksUrl } = await providerOf(config);
      return { keys: [setOf({ url: jwksUrl, caCertificates: config.oidc_discovery_ca_pem })], issuer };
    },
    async check(config) {
      const provided = config.oidc_discovery_url !== '';
      if (provided)
        providers.delete(keyOf({ url: config.oidc_discovery_url, caCertificates: config.oidc_discovery_ca_pem }));
      const sources = provided
        ? [{ url: (await providerOf(config)).jwksUrl, caCertificates: config.oidc_discovery_ca_pem }]
        : sourcesOf(config);
      await Promise.all(sources.map((source) => readKeySet(remote, source)));
      for (const source of sources) sets.delete(keyOf(source));
    },
  };
}

const keyOf = ({ url, caCertificates }: KeySetSource): string => `${url} ${caCertificates}`;

function sourcesOf({ jwks_url: url, jwks_ca_pem: caCertificates, jwks_pairs: pairs }: JwtConfig): KeySetSource[] {
  const several = pairs.map((pair) => ({ url: pair.jwks_url, caCertificates: pair.jwks_ca_pem }));
  return url === '' ? several : [{ url, caCertificates }, ...several];
}
