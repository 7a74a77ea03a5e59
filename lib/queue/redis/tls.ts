import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import type { RedisAddress } from '../../core/redis-url.ts';

/**
 * Each connection reads the files, since certificates are renewed. The certificate of a server has to name it as it was dialled.
 * Clusters and sentinels may announce servers by IP addresses, which certificates seldom hold: there it may name a host of the
 * URL instead. Undefined: connections without TLS.
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
