/** A part of a path that gives access by itself, such as a token or a signed address. */
export interface SecretPart {
  /** Its segment, counted from 0. */
  readonly at: number;
  /** It goes on to the end of the path. */
  readonly toEnd: boolean;
  /** What of it may be shown in front of what stands for it; empty: nothing. */
  readonly claim: string;
}

/** The texts of the secret parts. */
export const secretsIn = (path: string, secrets: readonly SecretPart[]): readonly string[] =>
  secrets.map(({ at, toEnd }) => valueAt(path.split('/'), at, toEnd)).filter((value) => value !== '');

/** A path with its secret parts replaced. One without any, which most are, is shown as it is. */
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

/** What begins like a token of either service, or ends like one or like the signature of an address. */
const tokenLike = /^(?:hv[sb]|[sb])\.\S{8}|\.[\w-]{40,}$/;

/** Of a path that no row has, such as a misspelt one: what looks like a token counts as one. */
export const straySecrets = (path: string): readonly SecretPart[] =>
  path.split('/').flatMap((segment, at) => (tokenLike.test(segment) ? [{ at, toEnd: false, claim: '' }] : []));

/** What stands for a secret where there is no key for an HMAC. */
export const hidden = (): string => '[secret]';

/** The same parts behind another beginning of the path, which has so many segments. */
export const movedBy = (secrets: readonly SecretPart[], segments: number): readonly SecretPart[] =>
  secrets.length === 0 ? secrets : secrets.map((part) => ({ ...part, at: part.at + segments }));
