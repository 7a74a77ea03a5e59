import { fieldKey } from '../vocabulary.ts';
import { quoted } from './unknown.ts';

/** Texts of one reply. */
const textsMax = 10;

/**
 * A text for each field that a request names twice: by another case, by both of its names, or in the query beside the body.
 * Which of the values counts must not be a guess, least of all where policies decide whether they are allowed.
 */
export function spelledTwice(names: readonly string[], beside: readonly string[]): readonly string[] {
  if (names.length + beside.length < 2) return [];
  const first = new Map<string, string>();
  const texts: string[] = [];
  for (const name of names) {
    const key = fieldKey(name);
    const other = first.get(key);
    if (other === undefined) first.set(key, name);
    else texts.push(`the field ${quoted(key)} came twice, as ${quoted(other)} and as ${quoted(name)}: send it once`);
  }
  for (const name of beside) {
    const other = first.get(fieldKey(name));
    if (other === undefined) continue;
    texts.push(`the field ${quoted(fieldKey(name))} came twice, in the body and in the query: send it in the body`);
  }
  return texts.slice(0, textsMax);
}
