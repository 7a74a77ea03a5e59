import type { Vocabulary } from '../contract/request.ts';
import { canonicalWords, wordName } from '../vocabulary.ts';

/** Neither part of a longer word, nor of a longer name. */
const wholeWord = () => new RegExp(`(?<![\\w-])(?:${canonicalWords().join('|')})(?![\\w-])`, 'g');

/**
 * A text as the reply shall show it, whole words replaced. Only for texts that are ours from end to end, such as those
 * of the rows: in what a user chose the same letters mean something else.
 */
export const ownText = (text: string, vocabulary: Vocabulary): string =>
  vocabulary === 'canonical' ? text : renamed(text, wholeWord(), vocabulary);

/** A document that is ours from end to end, its keys and texts likewise. */
export function ownDocument(document: object, vocabulary: Vocabulary): object {
  if (vocabulary === 'canonical') return document;
  const word = wholeWord();
  return members(document, (text) => renamed(text, word, vocabulary));
}

const renamed = (text: string, word: RegExp, vocabulary: Vocabulary): string =>
  text.replace(word, (found) => wordName(found, vocabulary));

type Rename = (text: string) => string;

const members = (document: object, rename: Rename): object =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [rename(name), member(value, rename)]));

function member(value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') return rename(value);
  if (Array.isArray(value)) return value.map((item) => member(item, rename));
  return typeof value === 'object' && value !== null ? members(value, rename) : value;
}
