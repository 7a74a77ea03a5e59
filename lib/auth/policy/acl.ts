import { atOnce, type Steps } from '#core/concurrency/yielding.ts';
import { canonicalPatterns, type TypeNames } from '#path/vocabulary.ts';
import { type Precedence, precedenceOf, precedes } from './match/precedence.ts';
import { SegmentTree } from './match/segment-tree.ts';
import { merge } from './merge.ts';
import type { Grant, Rule } from './rule.ts';

/** All rules of a caller by pattern. Patterns start with the path of the namespace of the rule's policy. */
export interface Acl {
  /**
   * The grant of the one pattern that decides about a path; patterns do not add up. An exact pattern takes precedence, then the one
   * whose first wildcard comes last (see `match/precedence.ts`).
   *
   * @param path the full path with the namespace, without a leading slash
   * @param list for a listing: an exact pattern may omit the trailing slash, and patterns with wildcards are first matched against
   *   the path without it, since `kv/+` and `kv/a*` also match folders
   */
  find(path: string, list: boolean): Grant | undefined;
  /** The same grant with its pattern. */
  match(path: string, list: boolean): Match | undefined;
  /** Whether a pattern that grants anything can match a path below this one. Determines which mounts a caller can see. */
  touches(prefix: string): boolean;
  /** Grants by pattern: exact patterns and those with wildcards. */
  readonly exact: ReadonlyMap<string, Grant>;
  readonly globs: ReadonlyMap<string, Grant>;
}

/** A grant and the pattern that decides about a path. */
export interface Match {
  readonly pattern: string;
  readonly grant: Grant;
}

/** A rule with the path of the namespace that its pattern is relative to. Absent for the root. */
export type PlacedRule = Rule & { readonly below?: string };

interface Placed {
  readonly grant: Grant;
  readonly precedence: Precedence;
}

/** Built once per set of policies. A search costs a few hash look-ups, whatever the number of rules. */
export const compileAcl = (rules: readonly PlacedRule[], names: TypeNames): Acl => atOnce(compilingAcl(rules, names));

/** Compiles in steps, since ten thousand rules take long. */
export function* compilingAcl(rules: readonly PlacedRule[], names: TypeNames): Steps<Acl> {
  const exact = new Map<string, Grant>();
  const globs = new Map<string, Grant>();
  for (const rule of rules) {
    for (const relative of canonicalPatterns(names, rule.pattern)) {
      const pattern = (rule.below ?? '') + relative;
      const by = isGlob(pattern) ? globs : exact;
      const before = by.get(pattern);
      by.set(pattern, before === undefined ? rule : merge(before, rule));
    }
    yield;
  }
  const prefixes = new Prefixes();
  const segments = new SegmentTree<Placed>();
  for (const [pattern, grant] of globs) {
    const placed = { grant, precedence: precedenceOf(pattern) };
    if (hasSegmentWildcard(pattern)) segments.add(pattern, placed);
    else prefixes.add(pattern.slice(0, -1), placed);
    yield;
  }
  const exactly = (pattern: string): Match | undefined => {
    const grant = exact.get(pattern);
    return grant && { pattern, grant };
  };
  const best = (path: string) => bestOf([...prefixes.longest(path), ...segments.find(path)]);
  const match = (path: string, list: boolean): Match | undefined => {
    const bare = list && path.endsWith('/') ? path.slice(0, -1) : undefined;
    const found = exactly(path) ?? (bare === undefined ? undefined : exactly(bare));
    return found ?? (bare === undefined ? undefined : best(bare)) ?? best(path);
  };
  return {
    exact,
    globs,
    find: (path, list) => match(path, list)?.grant,
    match,
    touches: (prefix) => touches(exact, globs, prefix),
  };
}

/** Whether a segment is, or starts with, `+`. */
export const hasSegmentWildcard = (pattern: string): boolean => pattern.startsWith('+') || pattern.includes('/+');

export const isGlob = (pattern: string): boolean => pattern.endsWith('*') || hasSegmentWildcard(pattern);

function bestOf(candidates: readonly Placed[]): Match | undefined {
  let best: Placed | undefined;
  for (const candidate of candidates) {
    if (best === undefined || precedes(candidate.precedence, best.precedence)) best = candidate;
  }
  return best && { pattern: best.precedence.pattern, grant: best.grant };
}

/** Patterns that end in `*` by their prefix. A search costs one hash look-up per length of prefix, the longest first. */
class Prefixes {
  readonly #byPrefix = new Map<string, Placed>();
  #lengths: readonly number[] = [];

  add(prefix: string, placed: Placed): void {
    this.#byPrefix.set(prefix, placed);
    if (!this.#lengths.includes(prefix.length)) this.#lengths = [...this.#lengths, prefix.length].sort((a, b) => b - a);
  }

  longest(path: string): readonly Placed[] {
    for (const length of this.#lengths) {
      const found = length > path.length ? undefined : this.#byPrefix.get(path.slice(0, length));
      if (found !== undefined) return [found];
    }
    return [];
  }
}

function touches(exact: ReadonlyMap<string, Grant>, globs: ReadonlyMap<string, Grant>, prefix: string): boolean {
  const grants = ([pattern, { capabilities }]: readonly [string, Grant]): boolean =>
    capabilities.size > 0 && !capabilities.has('deny') && mayMatchBelow(pattern, prefix);
  return exact.entries().some(grants) || globs.entries().some(grants);
}

/** Compares segment by segment, up to the shorter one. */
function mayMatchBelow(pattern: string, prefix: string): boolean {
  const wanted = prefix.replace(/\/$/, '').split('/');
  const parts = pattern.split('/');
  for (const [index, part] of parts.entries()) {
    const segment = wanted[index];
    if (segment === undefined) return true;
    if (part === '+' || part === segment) continue;
    return index === parts.length - 1 && part.endsWith('*') && segment.startsWith(part.slice(0, -1));
  }
  return parts.length >= wanted.length;
}
