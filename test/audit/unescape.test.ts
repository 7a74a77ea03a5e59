import { describe, expect, test } from 'vitest';
import { Unescape } from '#audit/lines/unescape.ts';

/** The bytes of a JSON string without its quotes, cut into pieces of this size. */
function read(escaped: string, size: number): string {
  const bytes = Buffer.from(escaped);
  const plain = new Unescape();
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(Buffer.from(plain.push(bytes.subarray(at, at + size))));
  return Buffer.concat(pieces).toString();
}

describe('an escaped text, wherever it is cut', () => {
  test.each([
    '',
    'plain',
    'a\\nb',
    '\\n\\t\\"\\\\\\/\\b\\f\\r',
    '\\u0041\\u00e9\\u20ac',
    '\\ud83d\\ude00 and 😀 é',
    'x\\ud83d\\ude00\\ud83d\\ude00\\u0000y',
    '\\\\n\\\\\\n',
    'é\\u00e9é\\\\é',
  ])('%s', (escaped) => {
    const expected = JSON.parse(`"${escaped}"`);
    for (let size = 1; size <= Buffer.byteLength(escaped) + 1; size += 1) expect(read(escaped, size)).toBe(expected);
  });
});
