import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The generator takes as long for a few bytes as for many, so bytes are drawn in blocks. */
const pool = Buffer.alloc(1_024);
let used = pool.length;

/** A random byte that is never returned again. */
function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool.readUInt8(used);
  pool[used] = 0;
  used += 1;
  return byte;
}

/** `length` random characters of base 62, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += base62[byte % 62];
  }
  return text;
}

/** The random part of a mount accessor: 8 hexadecimal digits. */
export const randomHex8 = (): string => randomBytes(4).toString('hex');

export const uuid = (): string => randomUUID();

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
