import { nameRule, type Segment } from './pattern.ts';

/** Looks at what ends where the path does, with the parameters' values in order. True ends the search. */
export type Accept<T> = (value: T, parameters: readonly string[]) => boolean;

/** Patterns as a tree of segments, walked from the most specific to the least: literal, then name, then rest. */
export class SegmentTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** The values whose patterns have the same shape, the new one last; the caller decides whether they go together. */
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

  /** `listing`: the path ends in `/` because the verb is a listing, so a pattern without the slash ends here too. */
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
  const there = segment.kind === 'literal' ? node.literals.get(segment.text) : node.name;
  const child = there ?? emptyNode<T>();
  if (segment.kind === 'literal') node.literals.set(segment.text, child);
  else node.name = child;
  return child;
}

/** A node stands at one depth only, so none is visited twice and the walk is bounded by the table. */
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
