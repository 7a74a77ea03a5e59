import { createHmac, createSecretKey, type Hmac, hash, type KeyObject } from 'node:crypto';

/** Of SHA-256. */
const [blockBytes, digestBytes, algorithm] = [64, 32, 'sha256'];
const [innerPad, outerPad] = [0x36, 0x5c];
/** Bytes of a text that is short, and what a character takes at most. */
const [shortMax, characterBytes] = [1_024, 3];

/** Replaces texts by their HMAC-SHA-256 under the key of a device. */
export class Hasher {
  readonly #key: KeyObject;
  /** The padded key with space for a short text, and for the digest of that (RFC 2104). */
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#inner = padded(key, innerPad, shortMax);
    this.#outer = padded(key, outerPad, digestBytes);
  }

  /** Most texts are short: two calls of `hash` take half as long as an object for each of them. */
  text(value: string): string {
    if (value.length * characterBytes > shortMax) return shown(this.#begin().update(value));
    const end = blockBytes + this.#inner.write(value, blockBytes);
    this.#outer.write(hash(algorithm, this.#inner.subarray(0, end), 'binary'), blockBytes, 'binary');
    this.#inner.fill(0, blockBytes, end);
    return marked(hash(algorithm, this.#outer));
  }

  /** Of a text that comes in pieces. */
  pieces(): { update(piece: Buffer): void; end(): string } {
    const hmac = this.#begin();
    return { update: (piece) => void hmac.update(piece), end: () => shown(hmac) };
  }

  #begin(): Hmac {
    return createHmac(algorithm, this.#key);
  }
}

function padded(key: Buffer, pad: number, space: number): Buffer {
  const bytes = Buffer.alloc(blockBytes + space);
  (key.length > blockBytes ? hash(algorithm, key, 'buffer') : key).copy(bytes);
  for (let at = 0; at < blockBytes; at += 1) bytes[at] = (bytes[at] ?? 0) ^ pad;
  return bytes;
}

const shown = (hmac: Hmac): string => marked(hmac.digest('hex'));
const marked = (hex: string): string => `hmac-sha256:${hex}`;
