import type { Vocabulary } from '../contract/request.ts';
import { fieldName } from '../vocabulary.ts';

/** Names of one text. */
const shownMax = 32;
const shownCharactersMax = 64;
/** Names that are compared with those of the fields. */
const comparedMax = 10;

/** Names as the API family shows them, with a bound on what is given back. */
export function shownNames(names: readonly string[]): string {
  const first = names.slice(0, shownMax).map(cut);
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return `[${first.join(' ')}]${more}`;
}

const cut = (name: string): string => name.slice(0, shownCharactersMax);

/** What is said of fields that nothing reads: all of them as the API family says it, then each with the field that was meant. */
export function ignoredTexts(
  names: readonly string[],
  known: readonly string[],
  vocabulary: Vocabulary,
): readonly string[] {
  if (names.length === 0) return [];
  const meant = names.slice(0, comparedMax).flatMap((name) => {
    if (known.includes(name))
      return [`${quoted(name)} stands in the query, where a write is not looked for fields: send it in the body`];
    const near = nearest(name, known, vocabulary);
    return near === undefined
      ? []
      : [`unknown field ${quoted(name)} was ignored: the nearest known one is ${quoted(near)}`];
  });
  return [`Endpoint ignored these unrecognized parameters: ${shownNames(names)}`, ...meant];
}

/** Why a request with such a field is refused where the field may have been meant to narrow what is done. */
export function refusedTexts(
  names: readonly string[],
  known: readonly string[],
  vocabulary: Vocabulary,
): readonly string[] {
  return names.slice(0, comparedMax).map((name) => {
    const near = nearest(name, known, vocabulary);
    if (known.includes(name)) return `unknown field ${quoted(name)} in the query: send it in the body. ${nothingDone}`;
    const hint = near === undefined ? '?help=1 shows what this path takes' : `the nearest known one is ${quoted(near)}`;
    return `unknown field ${quoted(name)}: ${hint}. ${nothingDone}`;
  });
}

const nothingDone = 'Nothing was done, since the request may have meant less than it would do';

export const quoted = (name: string): string => JSON.stringify(cut(name));

/** The known name that takes the fewest changes, if those are no more than half of the name. */
function nearest(name: string, known: readonly string[], vocabulary: Vocabulary): string | undefined {
  const given = plain(name);
  let best: string | undefined;
  let changesMax = Math.max(1, Math.floor(given.length / 2));
  for (const one of known) {
    const shown = fieldName(one, vocabulary);
    const changes = Math.min(distance(given, plain(one)), distance(given, plain(shown)));
    if (changes > changesMax || (best !== undefined && changes === changesMax)) continue;
    [best, changesMax] = [shown, changes];
  }
  return best;
}

const plain = (name: string): string => cut(name).toLowerCase().replaceAll('-', '_');

/** How many characters have to be added, taken out, replaced or swapped with their neighbour to make one text of another. */
export function distance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? i + j) + 1 : i + j;
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
