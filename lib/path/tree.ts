/** Called with a value whose pattern matches the path, and with the values of the parameters in order. True ends the search. */
export type Accept<T> = (value: T, parameters: readonly string[]) => boolean;

/** Patterns as a tree of segments, searched from the most specific to the least: literal, then name, then rest. */
export class SegmentTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** Returns the values whose patterns have the same shape, the new one last. The caller decides whether they conflict. */
  add(segments: readonly Segment[], value: T): readonly T[] {
    let node = this.#root;
    for (const segment of segments) {
      if (segment.kind === 'rest') {
        node.rests.push(value);
        return node.rests;
      }
      node = childFor(node, segment);
    }
    node.ends.push(value);
    return node.ends;
  }

  /** `listing`: the path ends in `/` because of the verb, so patterns without the slash match too. */
  visit(path: string, listing: boolean, accept: Accept<T>): void {
    descend(this.#root, 0, { segments: path.split('/'), listing, parameters: [], accept });
  }
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  name: Node<T> | undefined;
  readonly ends: T[];
  readonly rests: T[];
}

interface Walk<T> {
  readonly segments: readonly string[];
  readonly listing: boolean;
  readonly parameters: string[];
  readonly accept: Accept<T>;
}

const emptyNode = <T>(): Node<T> => ({ literals: new Map(), name: undefined, ends: [], rests: [] });

function childFor<T>(node: Node<T>, segment: Segment): Node<T> {
  const known = segment.kind === 'literal' ? node.literals.get(segment.text) : node.name;
  const child = known ?? emptyNode<T>();
  if (segment.kind === 'literal') node.literals.set(segment.text, child);
  else node.name = child;
  return child;
}

/** Each node has a single depth, so none is visited twice and the table bounds the walk. */
function descend<T>(node: Node<T>, depth: number, walk: Walk<T>): boolean {
  const segment = walk.segments[depth];
  if (segment === undefined) return offer(node.ends, walk) || offer(node.literals.get('')?.ends ?? [], walk);
  const literal = node.literals.get(segment);
  if (literal !== undefined && descend(literal, depth + 1, walk)) return true;
  if (segment === '' && walk.listing && depth === walk.segments.length - 1 && offer(node.ends, walk)) return true;
  if (node.name !== undefined && nameRule.test(segment)) {
    const { name } = node;
    if (withParameter(segment, walk, () => descend(name, depth + 1, walk))) return true;
  }
  if (node.rests.length === 0) return false;
  return withParameter(walk.segments.slice(depth).join('/'), walk, () => offer(node.rests, walk));
}

function withParameter<T>(value: string, walk: Walk<T>, go: () => boolean): boolean {
  walk.parameters.push(value);
  const ended = go();
  walk.parameters.pop();
  return ended;
}

const offer = <T>(values: readonly T[], walk: Walk<T>): boolean =>
  values.some((value) => walk.accept(value, walk.parameters));

/** A segment of a row's pattern. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'rest'; readonly name: string };

/** A value of a `:name` parameter. It neither begins nor ends with `-` or `.`. */
export const nameRule = /^\w(?:[\w.-]*\w)?$/;

/**
 * Parses a pattern such as `versions/:name` or `data/*path`. A pattern that ends in `/` has an empty last literal.
 *
 * @throws Error for an invalid pattern, which is a mistake in the program
 */
export function parsePattern(pattern: string): readonly Segment[] {
  const segments = pattern.split('/').map(segmentOf);
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment.kind === 'rest' && !last)
      throw new Error(`pattern ${pattern}: *${segment.name} must be the last segment`);
    if (segment.kind === 'literal' && segment.text === '' && !last)
      throw new Error(`pattern ${pattern}: empty segment`);
  });
  const names = parameterNames(segments);
  if (new Set(names).size < names.length) throw new Error(`pattern ${pattern}: a parameter is used twice`);
  return segments;
}

/** Names of the parameters, in order. */
export function parameterNames(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name]));
}

function segmentOf(text: string): Segment {
  const kind = text.startsWith(':') ? 'name' : text.startsWith('*') ? 'rest' : undefined;
  if (kind === undefined) return { kind: 'literal', text };
  if (!/^\w+$/.test(text.slice(1))) throw new Error(`pattern segment ${text}: invalid parameter name`);
  return { kind, name: text.slice(1) };
}
