import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '#core/clock.ts';
import { HmacKey } from '#core/digest/hmac.ts';
import { AppError } from '#core/errors.ts';
import type { Barrier, Pieces } from '../store.ts';
import { CipherError, decrypt, decryptInSlices, encrypt, encryptInSlices, termOf } from './cipher.ts';
import { activeKey, type Keyring, macKeyFor, zeroKeyring } from './keyring.ts';

/** Limit of unknown terms that are remembered; only damaged rows can name so many. */
const missingTermsMax = 100;

/** The barrier of a process: sealed until the seal loads the keyring into it. */
export class KeyringBarrier implements Barrier {
  readonly #clock: Clock;
  #keyring: Keyring | undefined;
  #keys = new Map<number, KeyObject>();
  #macKeys = new Map<string, HmacKey>();
  #used = new Map<number, number>();
  #missingTerms = new Set<number>();
  /** Fetches the newest keyring; set by the seal. */
  #reload: () => Promise<void> = async () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get sealed(): boolean {
    return this.#keyring === undefined;
  }

  /** @throws AppError `sealed` */
  get keyring(): Keyring {
    if (this.#keyring === undefined) throw sealedError();
    return this.#keyring;
  }

  seal(plaintext: string | Uint8Array, aad: string): Buffer {
    const term = this.#useTerm();
    return encrypt(this.#keyOf(term), term, plaintext, aad);
  }

  async sealInSlices(pieces: () => Pieces, aad: string): Promise<Buffer> {
    const term = this.#useTerm();
    return encryptInSlices(this.#keyOf(term), term, pieces, aad);
  }

  open(sealed: Uint8Array, aad: string): Buffer {
    if (this.sealed) throw sealedError();
    try {
      return decrypt(this.#keyOf(termOf(sealed)), sealed, aad);
    } catch (cause) {
      throw damaged(cause, aad);
    }
  }

  async openInSlices(sealed: AsyncIterable<Buffer>, aad: string): Promise<readonly Buffer[]> {
    if (this.sealed) throw sealedError();
    try {
      return await decryptInSlices((term) => this.#keyOf(term), sealed, aad);
    } catch (cause) {
      throw damaged(cause, aad);
    }
  }

  mac(purpose: string, data: string | Uint8Array): Buffer {
    const keyring = this.keyring;
    let key = this.#macKeys.get(purpose);
    if (key === undefined) {
      key = toHmacKey(macKeyFor(keyring, purpose));
      this.#macKeys.set(purpose, key);
    }
    return key.bytes(data);
  }

  /** Opens the barrier, or replaces its keyring by a newer version of it. */
  load(keyring: Keyring): void {
    const before = this.#keyring;
    this.#keyring = keyring;
    this.#keys = new Map(keyring.keys.map(({ term, key }) => [term, createSecretKey(key)]));
    this.#missingTerms.clear();
    if (before !== undefined && before !== keyring) zeroKeyring(before);
  }

  /** Seals: overwrites and forgets every key. OpenSSL overwrites key objects when they are garbage collected. */
  unload(): void {
    if (this.#keyring !== undefined) zeroKeyring(this.#keyring);
    this.#keyring = undefined;
    this.#keys.clear();
    for (const key of this.#macKeys.values()) key.erase();
    this.#macKeys.clear();
    this.#used.clear();
    this.#missingTerms.clear();
  }

  /** Number of values sealed in this process by term, not yet included in the stored counts. */
  get used(): ReadonlyMap<number, number> {
    return this.#used;
  }

  /** Subtracts counts that have been stored; values sealed since then remain counted. */
  forgetUsed(used: ReadonlyMap<number, number>): void {
    for (const [term, count] of used) this.#used.set(term, Math.max(0, (this.#used.get(term) ?? 0) - count));
  }

  onMissingTerm(reload: () => Promise<void>): void {
    this.#reload = reload;
  }

  /** The term of the key that is used for new values; counts the use. */
  #useTerm(): number {
    const { term } = activeKey(this.keyring, this.#clock.now());
    this.#used.set(term, (this.#used.get(term) ?? 0) + 1);
    return term;
  }

  #keyOf(term: number): KeyObject {
    const key = this.#keys.get(term);
    if (key !== undefined) return key;
    if (this.#missingTerms.has(term) || this.#missingTerms.size >= missingTermsMax) {
      throw new CipherError(`no key of term ${term}`);
    }
    this.#missingTerms.add(term);
    // A process that was disconnected may find values under a key that it has not read yet. If reading fails, the next value tries again.
    this.#reload().catch(() => this.#missingTerms.delete(term));
    throw new AppError('unavailable', 'the keyring was rotated and is being reloaded: try again');
  }
}

/** Turns the bytes into a key object and overwrites them. */
function toHmacKey(key: Buffer): HmacKey {
  const object = new HmacKey(key);
  key.fill(0);
  return object;
}

const damaged = (cause: unknown, aad: string): unknown =>
  cause instanceof CipherError
    ? new AppError('internal', `a stored value is damaged: ${shownAad(aad)}`, { cause })
    : cause;

const sealedError = () => new AppError('sealed', 'the service is sealed');

/** The additional data names the row. A path may be long; its first part is enough to find the row. */
const shownAad = (aad: string): string => (aad.length <= 200 ? aad : `${aad.slice(0, 200)}...`);
