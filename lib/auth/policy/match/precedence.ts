/** What determines the precedence of a pattern with wildcards. */
export interface Precedence {
  readonly pattern: string;
  /** Offset of the first `+` or `*`. */
  readonly wildcardAt: number;
  readonly glob: boolean;
  readonly segmentWildcards: number;
}

export function precedenceOf(pattern: string): Precedence {
  const glob = pattern.endsWith('*');
  const plus = pattern.search(/(?<=^|\/)\+/);
  const star = glob ? pattern.length - 1 : Number.MAX_SAFE_INTEGER;
  return {
    pattern,
    wildcardAt: plus < 0 ? star : Math.min(plus, star),
    glob,
    segmentWildcards: pattern.split('/').filter((segment) => segment === '+').length,
  };
}

/**
 * Whether `a` takes precedence over `b`: the one with the later first wildcard, then the one that does not end in `*`, then the one with
 * fewer `+`, then the longer one, then the greater one.
 */
export function precedes(a: Precedence, b: Precedence): boolean {
  if (a.wildcardAt !== b.wildcardAt) return a.wildcardAt > b.wildcardAt;
  if (a.glob !== b.glob) return !a.glob;
  if (a.segmentWildcards !== b.segmentWildcards) return a.segmentWildcards < b.segmentWildcards;
  if (a.pattern.length !== b.pattern.length) return a.pattern.length > b.pattern.length;
  return a.pattern > b.pattern;
}
