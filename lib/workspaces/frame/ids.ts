import { randomBytes } from 'node:crypto';

/** Base 58, without characters that are easily confused. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const length = 16;

/** A new id such as `ws-6jrRyVDv1J8zQMB5`. */
export function newId(prefix: string): string {
  let text = '';
  while (text.length < length) {
    // Larger bytes would favour the first characters of the alphabet.
    for (const byte of randomBytes(length * 2)) {
      if (byte < 232 && text.length < length) text += alphabet[byte % 58];
    }
  }
  return `${prefix}-${text}`;
}
