import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import type { RedisAddress } from '#core/settings/redis-url.ts';

/**
 * Each connection reads the files, because certificates are renewed. The certificate of a server must contain the dialled name. Clusters and
 * sentinels may announce servers by IP addresses, which certificates rarely contain: for these, a host name of the URL is accepted instead.
 * Undefined for connections without TLS.
 */
export function tlsOptions({ tls, hosts, files }: RedisAddress): ConnectionOptions | undefined {
  if (!tls) return undefined;
  const given = hosts.map(({ host }) => host);
  return {
    minVersion: 'TLSv1.2',
    get ca() {
      return contents(files.ca);
    },
    get cert() {
      return contents(files.cert);
    },
    get key() {
      return contents(files.key);
    },
    checkServerIdentity(dialled, certificate) {
      const names = isIP(dialled) === 0 ? [dialled] : [dialled, ...given];
      const complaints = names.map((name) => checkServerIdentity(name, certificate));
      return complaints.includes(undefined) ? undefined : complaints[0];
    },
  };
}

const contents = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : readFileSync(file, 'utf8');
