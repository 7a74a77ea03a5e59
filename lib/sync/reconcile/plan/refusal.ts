import type { Entry } from './entries.ts';

/** Why a key is not pushed. Its message names the key and says what to do; it never holds a value. */
export interface Refusal {
  readonly subKey: string;
  readonly name: string;
  readonly kind: 'name' | 'conflict' | 'too-large';
  readonly message: string;
}

/** PostgreSQL takes neither in a text or in JSON, so what is written back of the key would fail, for good. */
export const isStorable = (subKey: string): boolean => subKey.isWellFormed() && !subKey.includes('\0');

/** The key is told, and recorded, with escapes in it. */
export function unstorable(subKey: string): Refusal {
  const message = `key ${shown(subKey)} holds a character that cannot be stored: rename the key`;
  return { subKey: JSON.stringify(subKey).slice(1, -1), name: '', kind: 'name', message };
}

const rivalsShownMax = 4;
const keyShownMax = 80;

/** A key for a message, which has to stay short: it is cut, and never within a character. */
function shown(subKey: string): string {
  const letters = [...subKey];
  return JSON.stringify(letters.length > keyShownMax ? `${letters.slice(0, keyShownMax).join('')}...` : subKey);
}

/** `rivals`: the other keys that come to the same name. None: no refusal. */
export function collision(entry: Entry, name: string, rivals: readonly Entry[]): Refusal | undefined {
  if (rivals.length === 0) return undefined;
  const others = rivals.slice(0, rivalsShownMax).map((rival) => shown(rival.subKey));
  const more = rivals.length > rivalsShownMax ? ` and ${rivals.length - rivalsShownMax} more` : '';
  const message = `key ${shown(entry.subKey)} and ${others.join(', ')}${more} have the same name ${JSON.stringify(name)} at the destination: rename a key or change secret_name_template`;
  return { subKey: entry.subKey, name, kind: 'conflict', message };
}

/** `bytesMax`: the most that the destination takes in one object. */
export function tooLarge(entry: Entry, name: string, bytesMax: number): Refusal | undefined {
  if (entry.value.bytes <= bytesMax) return undefined;
  const message = `the value of ${JSON.stringify(name)} has ${entry.value.bytes} bytes; the destination takes at most ${bytesMax}`;
  return { subKey: entry.subKey, name, kind: 'too-large', message };
}
