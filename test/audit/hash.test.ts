import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Hasher } from '../../lib/audit/lines/hash.ts';

const texts = [
  '',
  'app',
  'ä€😀',
  '\ud800 alone',
  'x'.repeat(340),
  'x'.repeat(343),
  '€'.repeat(341),
  '€'.repeat(342),
  'y'.repeat(5_000),
];

test.each([16, 32, 64, 65, 200])('texts of every length have the HMAC of the key: %i bytes', (bytes) => {
  const key = Buffer.alloc(bytes, 'key of a device ');
  const hasher = new Hasher(key);
  // Twice, in both directions: nothing of one text stays for the next.
  for (const text of [...texts, ...texts.toReversed()])
    expect(hasher.text(text)).toBe(`hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`);
});
