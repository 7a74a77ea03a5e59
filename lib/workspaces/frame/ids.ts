import { randomBytes } from 'node:crypto';

/** Base 58: no character that is easily taken for another. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const length = 16;

/** A new id such as `ws-6jrRyVDv1J8zQMB5` (reference, workspaces 3). */
export function newId(prefix: string): string {
  let text = '';
  while (text.length < length) {
    // Bytes beyond a whole number of alphabets would favour its beginning.
    for (const byte of randomBytes(length * 2)) {
      if (byte < 232 && text.length < length) text += alphabet[byte % 58];
    }
  }
  return `${prefix}-${text}`;
}
