/**
 * Whether a path meets a pattern: `?` is one character, `*` any number of them in one segment, `**` any number of segments. A leading `/` is the
 * root of the repository, as without it. The time is bounded by the product of both lengths.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const wanted = segmentsOf(pattern);
  return matches(wanted, segmentsOf(path), (part) => part === '**', matchesSegment);
}

const segmentsOf = (text: string): readonly string[] => text.replace(/^\.?\/+/, '').split('/');

const matchesSegment = (pattern: string, segment: string): boolean =>
  matches(
    [...pattern],
    [...segment],
    (one) => one === '*',
    (one, character) => one === '?' || one === character,
  );

/** Matches two lists. An item of the pattern that is `many` stands for any number of items; the last one is widened first. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  isMany: (part: string) => boolean,
  isOne: (part: string, item: string) => boolean,
): boolean {
  let [at, from, widened] = [0, 0, -1];
  let index = 0;
  while (index < items.length) {
    const part = pattern[at];
    if (part !== undefined && isMany(part)) {
      [widened, from] = [at, index];
      at += 1;
    } else if (part !== undefined && isOne(part, items[index] ?? '')) {
      at += 1;
      index += 1;
    } else if (widened !== -1) {
      from += 1;
      [at, index] = [widened + 1, from];
    } else return false;
  }
  while (at < pattern.length && isMany(pattern[at] ?? '')) at += 1;
  return at === pattern.length;
}
