import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Hasher } from '#audit/lines/hash.ts';

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

test.each([16, 32, 64, 65, 200])('texts of every length get the right HMAC with a key of %i bytes', (bytes) => {
  const key = Buffer.alloc(bytes, 'key of a device ');
  const hasher = new Hasher(key);
  // In both directions, so that leftovers of one text in the next are noticed.
  for (const text of [...texts, ...texts.toReversed()])
    expect(hasher.text(text)).toBe(`hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`);
});
