import { HmacKey } from '#core/digest/hmac.ts';

/** Replaces texts by their HMAC-SHA-256 under the key of a device. */
export class Hasher {
  readonly #key: HmacKey;

  constructor(key: Buffer) {
    this.#key = new HmacKey(key);
  }

  text(value: string): string {
    return marked(this.#key.hex(value));
  }

  /** The HMAC of a text in pieces. */
  pieces(): { update(piece: Buffer): void; end(): string } {
    const hmac = this.#key.begin();
    return { update: (piece) => void hmac.update(piece), end: () => marked(hmac.digest('hex')) };
  }
}

const marked = (hex: string): string => `hmac-sha256:${hex}`;
