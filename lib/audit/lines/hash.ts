import { createHmac, createSecretKey, type Hmac, type KeyObject } from 'node:crypto';

/** Replaces texts by their HMAC-SHA-256 under the key of a device. */
export class Hasher {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  text(value: string): string {
    return shown(this.#begin().update(value));
  }

  /** Of a text that comes in pieces. */
  pieces(): { update(piece: Buffer): void; end(): string } {
    const hmac = this.#begin();
    return { update: (piece) => void hmac.update(piece), end: () => shown(hmac) };
  }

  #begin(): Hmac {
    return createHmac('sha256', this.#key);
  }
}

const shown = (hmac: Hmac): string => `hmac-sha256:${hmac.digest('hex')}`;
