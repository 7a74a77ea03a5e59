import { memberOf, textOf, type Value } from '#client/wire/json.ts';

/** A place in the tree of secrets. A folder is empty or ends in a slash; with a secret, it is the folder that has it. */
export interface SecretPlace {
  /** Without slashes at its ends. */
  readonly mount: string;
  readonly folder: string;
  readonly secret: string;
  /** With which names in the folder begin. */
  readonly find: string;
}

/** The address has paths in its query, because a secret may have any name. */
export function placeOf(query: Readonly<Record<string, string>>): SecretPlace {
  const secret = query['secret'] ?? '';
  const folder = secret === '' ? (query['folder'] ?? '') : folderOf(secret);
  return { mount: query['mount'] ?? '', folder, secret, find: query['find'] ?? '' };
}

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

export function secretsUrl(place: Partial<SecretPlace>): string {
  const search = new URLSearchParams();
  for (const name of ['mount', place.secret ? 'secret' : 'folder', 'find'] as const) {
    const value = place[name];
    if (value !== undefined && value !== '') search.set(name, value);
  }
  return `/ui/secrets${search.size === 0 ? '' : `?${search}`}`;
}

/** A mount of key/value secrets. */
export interface SecretMount {
  readonly path: string;
  readonly description: string;
  /** Whether its secrets have versions. */
  readonly hasVersions: boolean;
}

/** The mounts of key/value secrets that the caller may use, from `sys/internal/ui/mounts`. */
export function mountsOf(data: Value | undefined): readonly SecretMount[] {
  const mounts = memberOf(data, 'secret');
  const all =
    typeof mounts === 'object' && mounts !== null ? Object.entries(mounts as { readonly [path: string]: Value }) : [];
  return all
    .filter(([, mount]) => textOf(mount, 'type') === 'kv')
    .map(([path, mount]) => ({
      path: path.replace(/\/+$/, ''),
      description: textOf(mount, 'description'),
      hasVersions: textOf(mount, 'options', 'version') === '2',
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * The last text before all names that begin with a prefix: a listing after it begins with them. Names are sorted by their bytes, so it is the
 * prefix with the character before its last one, and the last character of all behind it.
 */
export function justBefore(prefix: string): string {
  const characters = [...prefix];
  const last = characters.pop()?.codePointAt(0) ?? 0;
  if (last <= 1) return characters.join('');
  const earlier = last === afterSurrogates ? beforeSurrogates : last - 1;
  return `${characters.join('')}${String.fromCodePoint(earlier)}\u{10ffff}`;
}

const beforeSurrogates = 0xd7ff;
const afterSurrogates = 0xe000;
