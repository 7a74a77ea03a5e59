interface Branch<T> {
  readonly literal: Map<string, Branch<T>>;
  any: Branch<T> | undefined;
  /** The value of a pattern that ends here. */
  end: T | undefined;
  /** Patterns that continue with this text and `*`; the text is a prefix of the next segment. */
  readonly globs: { readonly begin: string; readonly value: T }[];
}

const newBranch = <T>(): Branch<T> => ({ literal: new Map(), any: undefined, end: undefined, globs: [] });

/** Patterns with `+` by their segments. A search visits matching branches only, at most as many as there are patterns. */
export class SegmentTree<T> {
  readonly #root: Branch<T> = newBranch();

  add(pattern: string, value: T): void {
    const segments = pattern.split('/');
    const glob = pattern.endsWith('*') ? segments.pop() : undefined;
    let branch = this.#root;
    for (const segment of segments) branch = segment === '+' ? anyOf(branch) : literalOf(branch, segment);
    if (glob === undefined) branch.end = value;
    else branch.globs.push({ begin: glob.slice(0, -1), value });
  }

  find(path: string): readonly T[] {
    const found: T[] = [];
    visit(this.#root, path.split('/'), 0, found);
    return found;
  }
}

function visit<T>(branch: Branch<T>, segments: readonly string[], at: number, found: T[]): void {
  const segment = segments[at];
  if (segment === undefined) {
    if (branch.end !== undefined) found.push(branch.end);
    return;
  }
  for (const { begin, value } of branch.globs) if (segment.startsWith(begin)) found.push(value);
  const literal = branch.literal.get(segment);
  if (literal !== undefined) visit(literal, segments, at + 1, found);
  if (branch.any !== undefined) visit(branch.any, segments, at + 1, found);
}

function anyOf<T>(branch: Branch<T>): Branch<T> {
  branch.any ??= newBranch();
  return branch.any;
}

function literalOf<T>(branch: Branch<T>, segment: string): Branch<T> {
  const there = branch.literal.get(segment);
  if (there !== undefined) return there;
  const made = newBranch<T>();
  branch.literal.set(segment, made);
  return made;
}
