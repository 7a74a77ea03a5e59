import type { Vocabulary } from '../row.ts';
import { canonicalWords, wordName } from '../vocabulary.ts';

/** Neither part of a longer word, nor of a longer name. */
const wholeWord = () => new RegExp(`(?<![\\w-])(?:${canonicalWords().join('|')})(?![\\w-])`, 'g');

/**
 * A text as the reply shall show it, whole words replaced. Only for texts that are ours from end to end, such as those
 * of the rows: in what a user chose the same letters mean something else.
 */
export const ownText = (text: string, vocabulary: Vocabulary): string =>
  vocabulary === 'canonical' ? text : text.replace(wholeWord(), (word) => wordName(word, vocabulary));

/** A document that is ours from end to end, its keys and texts likewise. */
export const ownDocument = (document: object, vocabulary: Vocabulary): object =>
  vocabulary === 'canonical' ? document : members(document, vocabulary);

const members = (document: object, vocabulary: Vocabulary): object =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [ownText(name, vocabulary), member(value, vocabulary)]),
  );

function member(value: unknown, vocabulary: Vocabulary): unknown {
  if (typeof value === 'string') return ownText(value, vocabulary);
  if (Array.isArray(value)) return value.map((item) => member(item, vocabulary));
  return typeof value === 'object' && value !== null ? members(value, vocabulary) : value;
}
