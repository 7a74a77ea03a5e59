import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { Barrier, Pieces } from '../store.ts';
import { CipherError, decrypt, decryptInSlices, encrypt, encryptInSlices, termOf } from './cipher.ts';
import { activeKey, type Keyring, macKeyFor, zeroKeyring } from './keyring.ts';

/** Unknown terms that are remembered; only broken rows can name so many. */
const missingTermsMax = 100;

/** The barrier of a process: sealed until the seal hands it the keyring. */
export class KeyringBarrier implements Barrier {
  readonly #clock: Clock;
  #keyring: Keyring | undefined;
  #keys = new Map<number, KeyObject>();
  #macKeys = new Map<string, KeyObject>();
  #used = new Map<number, number>();
  #missingTerms = new Set<number>();
  /** Fetches the newest keyring; the seal sets it. */
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
      key = toKeyObject(macKeyFor(keyring, purpose));
      this.#macKeys.set(purpose, key);
    }
    return createHmac('sha256', key).update(data).digest();
  }

  /** Opens the barrier, or replaces its keyring by a newer state of the same. */
  load(keyring: Keyring): void {
    const before = this.#keyring;
    this.#keyring = keyring;
    this.#keys = new Map(keyring.keys.map(({ term, key }) => [term, createSecretKey(key)]));
    this.#missingTerms.clear();
    if (before !== undefined && before !== keyring) zeroKeyring(before);
  }

  /** Seals: overwrites and forgets every key. Key objects are overwritten by OpenSSL when they are collected. */
  unload(): void {
    if (this.#keyring !== undefined) zeroKeyring(this.#keyring);
    this.#keyring = undefined;
    this.#keys.clear();
    this.#macKeys.clear();
    this.#used.clear();
    this.#missingTerms.clear();
  }

  /** Values sealed in this process per term that the stored counts do not hold yet. */
  get used(): ReadonlyMap<number, number> {
    return this.#used;
  }

  /** These are in the stored counts now; what was sealed since is not. */
  forgetUsed(used: ReadonlyMap<number, number>): void {
    for (const [term, count] of used) this.#used.set(term, Math.max(0, (this.#used.get(term) ?? 0) - count));
  }

  onMissingTerm(reload: () => Promise<void>): void {
    this.#reload = reload;
  }

  /** The term of the key that values are sealed under now; counts the use. */
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
    // A process that was cut off may meet a key it has not read yet. If reading fails, the next value tries again.
    this.#reload().catch(() => this.#missingTerms.delete(term));
    throw new AppError('unavailable', 'the keyring was rotated and is being read again: try again');
  }
}

/** Takes the key over and overwrites it where it was. */
function toKeyObject(key: Buffer): KeyObject {
  const object = createSecretKey(key);
  key.fill(0);
  return object;
}

const damaged = (cause: unknown, aad: string): unknown =>
  cause instanceof CipherError
    ? new AppError('internal', `a stored value is damaged: ${shownAad(aad)}`, { cause })
    : cause;

const sealedError = () => new AppError('sealed', 'the service is sealed');

/** Additional data names the row. A path may be long; its beginning finds the row. */
const shownAad = (aad: string): string => (aad.length <= 200 ? aad : `${aad.slice(0, 200)}...`);
