import { atOnce, type Steps } from '../../core/concurrency/yielding.ts';
import { canonicalPatterns } from '../../path/vocabulary.ts';
import { type Precedence, precedenceOf, precedes } from './match/precedence.ts';
import { SegmentTree } from './match/segment-tree.ts';
import { merge } from './merge.ts';
import type { Grant, Rule } from './rule.ts';

/** All rules of a caller, by pattern. Patterns begin with the path of the namespace that the rule's policy is of. */
export interface Acl {
  /**
   * The grant of the one pattern that speaks for a path; patterns are not added up. An exact pattern speaks first, else the
   * one whose first wildcard comes last (see `match/precedence.ts`).
   *
   * @param path the full one, the namespace first, without a leading slash
   * @param list a listing: a written-out pattern may have its trailing slash or not, and patterns with wildcards are asked for
   *   the path without it first, since a folder is what `kv/+` and `kv/a*` name as well
   */
  find(path: string, list: boolean): Grant | undefined;
  /** Whether some pattern that grants anything can match a path below this one, for what a caller may see of mounts. */
  touches(prefix: string): boolean;
  /** Each pattern with its grant, exact ones and those with wildcards. */
  readonly exact: ReadonlyMap<string, Grant>;
  readonly globs: ReadonlyMap<string, Grant>;
}

/** A rule, and the path of the namespace that its pattern is relative to; absent: the root. */
export type PlacedRule = Rule & { readonly below?: string };

interface Placed {
  readonly grant: Grant;
  readonly precedence: Precedence;
}

/** Built once per set of policies. A look-up costs a few hash look-ups, however many rules there are. */
export const compileAcl = (rules: readonly PlacedRule[]): Acl => atOnce(compilingAcl(rules));

/** The same, in steps: ten thousand rules take long. */
export function* compilingAcl(rules: readonly PlacedRule[]): Steps<Acl> {
  const exact = new Map<string, Grant>();
  const globs = new Map<string, Grant>();
  for (const rule of rules) {
    for (const relative of canonicalPatterns(rule.pattern)) {
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
  const best = (path: string) => bestOf([...prefixes.longest(path), ...segments.find(path)]);
  return {
    exact,
    globs,
    find(path, list) {
      const bare = list && path.endsWith('/') ? path.slice(0, -1) : undefined;
      const found = exact.get(path) ?? (bare === undefined ? undefined : exact.get(bare));
      return found ?? (bare === undefined ? undefined : best(bare)) ?? best(path);
    },
    touches: (prefix) => touches(exact, globs, prefix),
  };
}

/** A `+` that is a whole segment, or begins one. */
export const hasSegmentWildcard = (pattern: string): boolean => pattern.startsWith('+') || pattern.includes('/+');

export const isGlob = (pattern: string): boolean => pattern.endsWith('*') || hasSegmentWildcard(pattern);

function bestOf(candidates: readonly Placed[]): Grant | undefined {
  let best: Placed | undefined;
  for (const candidate of candidates) {
    if (best === undefined || precedes(candidate.precedence, best.precedence)) best = candidate;
  }
  return best?.grant;
}

/** Patterns that end in `*`, by the text before it. One hash look-up per length that there is, the longest first. */
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

/** Segment by segment, as far as both go. */
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
