import { type Problem, problemOf } from '#core/problem.ts';
import type { Vocabulary } from '../contract/request.ts';
import { fieldKey, fieldName } from '../vocabulary.ts';

/** Limit for the names in one text. */
const shownMax = 32;
const shownCharactersMax = 64;
/** Limit for the names that are compared with the fields. */
const comparedMax = 10;

/** Names as the API family shows them; their number and length are bounded. */
export function shownNames(names: readonly string[]): string {
  const first = names.slice(0, shownMax).map(cut);
  const more = names.length > shownMax ? ` and ${names.length - shownMax} more` : '';
  return `[${first.join(' ')}]${more}`;
}

/** A name from a request as texts show it. */
export const cut = (name: string): string => name.slice(0, shownCharactersMax);

/** The warnings about ignored fields: all of them in the form of the API family, then each with the nearest known field. */
export function ignoredTexts(
  names: readonly string[],
  known: readonly string[],
  vocabulary: Vocabulary,
): readonly string[] {
  if (names.length === 0) return [];
  const meant = names.slice(0, comparedMax).flatMap((name) => {
    if (known.includes(name))
      return [`${quoted(name)} was sent in the query, but a write reads only its body: send it in the body`];
    const near = nearest(name, known, vocabulary);
    return near === undefined
      ? []
      : [`unknown field ${quoted(name)} was ignored: the nearest known one is ${quoted(near)}`];
  });
  return [`Endpoint ignored these unrecognized parameters: ${shownNames(names)}`, ...meant];
}

/** The reasons for refusing unknown fields that may have been meant to limit the request. */
export function refusedNames(
  names: readonly string[],
  known: readonly string[],
  vocabulary: Vocabulary,
): readonly Problem[] {
  return names.slice(0, comparedMax).map((name) => problemOf(cut(name), refusedText(name, known, vocabulary)));
}

function refusedText(name: string, known: readonly string[], vocabulary: Vocabulary): string {
  const near = nearest(name, known, vocabulary);
  if (known.includes(name)) return `unknown field ${quoted(name)} in the query: send it in the body. ${nothingDone}`;
  const hint =
    near === undefined ? '?help=1 lists the fields of this path' : `the nearest known one is ${quoted(near)}`;
  return `unknown field ${quoted(name)}: ${hint}. ${nothingDone}`;
}

const nothingDone = 'Nothing was done, because the field may have been meant to limit the request';

const quoted = (name: string): string => JSON.stringify(cut(name));

/** The known name with the fewest changes, if at most half of the name changes. */
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

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
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

/** Limit for the problems in one reply. */
const problemsMax = 10;

/**
 * A problem for each field that a request sends twice: in another case, under both of its names, or in the query and the body. Which
 * value applies must not be ambiguous, least of all when policies decide whether the values are allowed.
 */
export function spelledTwice(names: readonly string[], queryNames: readonly string[]): readonly Problem[] {
  if (names.length + queryNames.length < 2) return [];
  const first = new Map<string, string>();
  const problems: Problem[] = [];
  const add = (key: string, how: string) =>
    problems.push(problemOf(cut(key), `the field ${quoted(key)} was sent twice, ${how}`));
  for (const name of names) {
    const key = fieldKey(name);
    const other = first.get(key);
    if (other === undefined) first.set(key, name);
    else add(key, `as ${quoted(other)} and as ${quoted(name)}: send it once`);
  }
  for (const name of queryNames) {
    const key = fieldKey(name);
    if (first.has(key)) add(key, 'in the body and in the query: send it in the body');
  }
  return problems.slice(0, problemsMax);
}
