import { timingSafeEqual } from 'node:crypto';
import { uuid } from '#core/ids.ts';

/** The shares given so far, until there are enough of them. */
export class UnsealProgress {
  #shares: Buffer[] = [];
  #nonce = '';

  get shares(): readonly Buffer[] {
    return this.#shares;
  }

  /** Identifies this attempt, so that holders can see that they work on the same one; empty before the first share. */
  get nonce(): string {
    return this.#nonce;
  }

  /** A repeated share counts once. */
  add(share: Buffer): void {
    if (this.#shares.some((given) => given.length === share.length && timingSafeEqual(given, share))) return;
    if (this.#nonce === '') this.#nonce = uuid();
    // A copy, because it is overwritten later.
    this.#shares.push(Buffer.from(share));
  }

  reset(): void {
    for (const share of this.#shares) share.fill(0);
    this.#shares = [];
    this.#nonce = '';
  }
}
