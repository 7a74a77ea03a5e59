import type { Vocabulary } from '../contract/request.ts';
import { canonicalWords, type TypeNames, wordName } from '../vocabulary.ts';

/** Matches these words, but not as part of a longer word or name. */
const wholeWord = (names: TypeNames) => new RegExp(`(?<![\\w-])(?:${canonicalWords(names).join('|')})(?![\\w-])`, 'g');

/**
 * A text with its whole words translated to the vocabulary. Only for texts without user input, such as those of the rows: in a
 * name that a user chose the same letters have another meaning.
 */
export const ownText = (names: TypeNames, text: string, vocabulary: Vocabulary): string =>
  vocabulary === 'canonical' ? text : renamed(names, text, wholeWord(names), vocabulary);

/** The same for a document without user input, its keys included. */
export function ownDocument(names: TypeNames, document: object, vocabulary: Vocabulary): object {
  if (vocabulary === 'canonical') return document;
  const word = wholeWord(names);
  return members(document, (text) => renamed(names, text, word, vocabulary));
}

const renamed = (names: TypeNames, text: string, word: RegExp, vocabulary: Vocabulary): string =>
  text.replace(word, (found) => wordName(names, found, vocabulary));

type Rename = (text: string) => string;

const members = (document: object, rename: Rename): object =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [rename(name), member(value, rename)]));

function member(value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') return rename(value);
  if (Array.isArray(value)) return value.map((item) => member(item, rename));
  return typeof value === 'object' && value !== null ? members(value, rename) : value;
}
