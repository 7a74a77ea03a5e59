/** The parsed `REDIS_URL`: the address of Redis and how to connect. It contains passwords and must not be logged. */
export interface RedisAddress {
  /** At least one host: the server, some nodes of a cluster, or the sentinels. */
  readonly hosts: readonly RedisHost[];
  readonly tls: boolean;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly db: number;
  /** Present when the hosts are sentinels, which know the address of the primary. */
  readonly sentinel?: SentinelAddress | undefined;
  readonly files: RedisFiles;
  /** IP version of resolved addresses: 4 or 6; 0 for either. */
  readonly family: number;
}

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface SentinelAddress {
  /** Name of the primary. */
  readonly name: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Each file is read for every connection, so that changes apply to the next one. */
export interface RedisFiles {
  /** PEM file of the authorities trusted for the server's certificate; absent for those of Node. */
  readonly ca?: string | undefined;
  /** PEM files of the client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly password?: string | undefined;
}

export const redisUrlRule =
  'must have the form redis://user:password@host:port or rediss://… (hosts of a cluster separated by commas), or ' +
  'redis+sentinel://user:password@host:port,host:port/name/database or rediss+sentinel://…; ?ca_file=, cert_file=, key_file=, ' +
  'password_file=, family=, sentinel_username= and sentinel_password= are the only parameters, certificates are for TLS, and ' +
  'cert_file and key_file must be set together';

const form = /^(rediss?)(\+sentinel)?:\/\/(?:([^/?#]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const parameters = [
  'ca_file',
  'cert_file',
  'key_file',
  'password_file',
  'family',
  'sentinel_username',
  'sentinel_password',
];

/** Undefined when the text is not a Redis URL. */
export function parseRedisUrl(text: string): RedisAddress | undefined {
  const [, scheme, sentinel, login, authority = '', path = '', query = ''] = form.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const asked = new URLSearchParams(query);
  if ([...asked.keys()].some((name) => !parameters.includes(name))) return undefined;
  const tls = scheme === 'rediss';
  const hosts = hostsOf(authority, sentinel === undefined ? 6_379 : 26_379);
  const place = sentinel === undefined ? placeOf('', path) : placeOf(...splitOnce(path, '/'));
  const credentials = login === undefined ? {} : credentialsOf(login);
  const files = filesOf(asked);
  const family = Number(asked.get('family') ?? 0);
  if (hosts === undefined || place === undefined || credentials === undefined || ![0, 4, 6].includes(family))
    return undefined;
  if ((sentinel !== undefined) !== (place.name !== '')) return undefined;
  if (!tls && (files.ca ?? files.cert ?? files.key) !== undefined) return undefined;
  if ((files.cert === undefined) !== (files.key === undefined)) return undefined;
  return { hosts, tls, ...credentials, db: place.db, files, family, sentinel: sentinelOf(place.name, asked) };
}

/** The same URL with these files instead of its own. Undefined when it is not a Redis URL or does not use TLS. */
export function withRedisFiles(text: string, { ca, cert, key, password }: RedisFiles): string | undefined {
  const [beginning, query] = splitOnce(text, '?');
  const asked = new URLSearchParams(query);
  const given = { ca_file: ca, cert_file: cert, key_file: key, password_file: password };
  for (const [name, file] of Object.entries(given)) if (file !== undefined) asked.set(name, file);
  const url = asked.size === 0 ? beginning : `${beginning}?${asked}`;
  return parseRedisUrl(url) === undefined ? undefined : url;
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function hostsOf(authority: string, usualPort: number): readonly RedisHost[] | undefined {
  const hosts = authority.split(',').map((one) => hostOf(one.trim(), usualPort));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}

function hostOf(text: string, usualPort: number): RedisHost | undefined {
  const [, v6, name, digits] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = v6 ?? name;
  const port = digits === undefined ? usualPort : Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function placeOf(name: string, db: string): { readonly name: string; readonly db: number } | undefined {
  const decoded = decode(name);
  return decoded === undefined || !/^\d{0,5}$/.test(db) ? undefined : { name: decoded, db: Number(db) };
}

function credentialsOf(login: string): Pick<RedisAddress, 'username' | 'password'> | undefined {
  const [user, secret] = splitOnce(login, ':').map(decode);
  if (user === undefined || secret === undefined) return undefined;
  return { username: user === '' ? undefined : user, password: secret === '' ? undefined : secret };
}

function filesOf(asked: URLSearchParams): RedisFiles {
  const file = (name: string) => asked.get(name) || undefined;
  return { ca: file('ca_file'), cert: file('cert_file'), key: file('key_file'), password: file('password_file') };
}

function sentinelOf(name: string, asked: URLSearchParams): SentinelAddress | undefined {
  if (name === '') return undefined;
  return {
    name,
    username: asked.get('sentinel_username') ?? undefined,
    password: asked.get('sentinel_password') ?? undefined,
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
