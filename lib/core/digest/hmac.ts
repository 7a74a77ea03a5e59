import { createHmac, createSecretKey, type Hmac, hash, type KeyObject } from 'node:crypto';

/** Sizes of SHA-256. */
const [blockBytes, digestBytes, algorithm] = [64, 32, 'sha256'];
const [innerPad, outerPad] = [0x36, 0x5c];
/** The maximum size of a short text, and of a character, in bytes. */
const [shortMax, characterBytes] = [1_024, 3];

/** HMAC-SHA-256 under one key. Most data is short; for it two calls of `hash` take half as long as an HMAC object. */
export class HmacKey {
  readonly #key: KeyObject;
  /** The padded key, followed by space for short data or for its digest (RFC 2104). */
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#inner = padded(key, innerPad, shortMax);
    this.#outer = padded(key, outerPad, digestBytes);
  }

  hex(data: string | Uint8Array): string {
    return isShort(data) ? hash(algorithm, this.#outerOf(data)) : this.begin().update(data).digest('hex');
  }

  bytes(data: string | Uint8Array): Buffer {
    return isShort(data) ? hash(algorithm, this.#outerOf(data), 'buffer') : this.begin().update(data).digest();
  }

  /** The HMAC of data in pieces. */
  begin(): Hmac {
    return createHmac(algorithm, this.#key);
  }

  /** Overwrites the key. The object is of no use afterwards; OpenSSL overwrites its own copy when that is collected. */
  erase(): void {
    this.#inner.fill(0);
    this.#outer.fill(0);
  }

  /** What the second of the two hashes is of. */
  #outerOf(data: string | Uint8Array): Buffer {
    const end = blockBytes + this.#take(data);
    this.#outer.write(hash(algorithm, this.#inner.subarray(0, end), 'binary'), blockBytes, 'binary');
    this.#inner.fill(0, blockBytes, end);
    return this.#outer;
  }

  #take(data: string | Uint8Array): number {
    if (typeof data === 'string') return this.#inner.write(data, blockBytes);
    this.#inner.set(data, blockBytes);
    return data.length;
  }
}

const isShort = (data: string | Uint8Array): boolean =>
  (typeof data === 'string' ? data.length * characterBytes : data.length) <= shortMax;

function padded(key: Buffer, pad: number, space: number): Buffer {
  const bytes = Buffer.alloc(blockBytes + space);
  (key.length > blockBytes ? hash(algorithm, key, 'buffer') : key).copy(bytes);
  for (let at = 0; at < blockBytes; at += 1) bytes[at] = (bytes[at] ?? 0) ^ pad;
  return bytes;
}
