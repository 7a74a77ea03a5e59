import { expect, test } from 'vitest';
import { crc32c } from '#core/digest/crc32c.ts';

// RFC 3720, B.4
test.each([
  [Buffer.alloc(32), 0x8a9136aa],
  [Buffer.alloc(32, 0xff), 0x62a8ab43],
  [Buffer.from('123456789'), 0xe3069283],
])('the checksum of known bytes is the known one', (bytes, sum) => {
  expect(crc32c(bytes)).toBe(sum);
});
