/** A part of a path that grants access, such as a token or a signed address. */
export interface SecretPart {
  /** Index of its segment. */
  readonly at: number;
  /** It continues to the end of the path. */
  readonly toEnd: boolean;
  /** Text that is shown before the replacement; empty for none. */
  readonly claim: string;
}

/** The texts of the secret parts. */
export const secretsIn = (path: string, secrets: readonly SecretPart[]): readonly string[] =>
  secrets.map(({ at, toEnd }) => valueAt(path.split('/'), at, toEnd)).filter((value) => value !== '');

/** A path with its secret parts replaced. Most paths have none and stay unchanged. */
export function shownPath(path: string, secrets: readonly SecretPart[], replace: (value: string) => string): string {
  if (secrets.length === 0) return path;
  const segments = path.split('/');
  for (const { at, toEnd, claim } of secrets) {
    const value = valueAt(segments, at, toEnd);
    if (value !== '') segments.splice(at, toEnd ? segments.length : 1, claim + replace(value));
  }
  return segments.join('/');
}

const valueAt = (segments: readonly string[], at: number, toEnd: boolean): string =>
  segments.slice(at, toEnd ? undefined : at + 1).join('/');

/** A segment that begins like a token of either service, or ends like a token or the signature of an address. */
const tokenLike = /^(?:hv[sb]|[sb])\.\S{8}|\.[\w-]{40,}$/;

/** The secret parts of a path that no row matches, such as a misspelt one: every segment that looks like a token. */
export const straySecrets = (path: string): readonly SecretPart[] =>
  path.split('/').flatMap((segment, at) => (tokenLike.test(segment) ? [{ at, toEnd: false, claim: '' }] : []));

/** Replaces a secret when there is no key for an HMAC. */
export const hidden = (): string => '[secret]';

/** The same parts after a prefix with this number of segments was added to the path. */
export const movedBy = (secrets: readonly SecretPart[], segments: number): readonly SecretPart[] =>
  secrets.length === 0 ? secrets : secrets.map((part) => ({ ...part, at: part.at + segments }));
