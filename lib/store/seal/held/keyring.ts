import type { Kysely } from 'kysely';
import type { Clock } from '#core/clock.ts';
import { AppError } from '#core/errors.ts';
import type { KeyringBarrier } from '../../encryption/barrier.ts';
import {
  isRotationDue,
  type Keyring,
  newestKey,
  type RotationRule,
  withEncryptions,
  withNewKey,
  zeroKeyring,
} from '../../encryption/keyring.ts';
import type { Database } from '../../tables.ts';
import { inTransaction } from '../../transaction.ts';
import type { KeyStatus } from '../contract.ts';
import { type LoanTerms, wrapLoan } from '../keys/loan.ts';
import { changeKeyring, openKeyring, type SealRecord } from '../record.ts';

/** Smaller counts are not worth a write. A killed process loses at most this count. */
const countsStoredMin = 100_000;

/** The keyring in the memory of this process, and the root key that opens a keyring rotated by another process. */
export class HeldKeyring {
  readonly #db: Kysely<Database>;
  readonly #barrier: KeyringBarrier;
  readonly #clock: Clock;
  #rootKey: Buffer | undefined;
  #clusterId = '';
  #revision = 0;

  constructor(db: Kysely<Database>, barrier: KeyringBarrier, clock: Clock) {
    this.#db = db;
    this.#barrier = barrier;
    this.#clock = clock;
  }

  get held(): boolean {
    return this.#rootKey !== undefined;
  }

  holds(rootKey: Buffer): boolean {
    return this.#rootKey === rootKey;
  }

  /** Calls `use` with a copy of the root key, because the original may be overwritten at any time. Undefined while sealed. */
  async withRootKey<T>(use: (rootKey: Buffer) => Promise<T>): Promise<T | undefined> {
    if (this.#rootKey === undefined) return undefined;
    const copy = Buffer.from(this.#rootKey);
    return use(copy).finally(() => copy.fill(0));
  }

  /** @throws CipherError when this is not the root key of the record. */
  open(record: SealRecord, rootKey: Buffer): void {
    this.hold(record, rootKey, openKeyring(record, rootKey));
  }

  hold(record: SealRecord, rootKey: Buffer, keyring: Keyring): void {
    this.#barrier.load(keyring);
    this.#rootKey = rootKey;
    this.#clusterId = record.cluster_id;
    this.#revision = record.revision;
  }

  /** Adopts the changes of another process. False when the record belongs to another store. */
  follow(record: SealRecord | undefined): boolean {
    if (this.#rootKey === undefined) return true;
    if (record?.cluster_id !== this.#clusterId) return false;
    if (record.revision !== this.#revision) this.hold(record, this.#rootKey, openKeyring(record, this.#rootKey));
    return true;
  }

  /** The root key, wrapped for a borrower. @throws AppError `sealed`, `bad-request` */
  lend(publicKey: string, terms: LoanTerms): Buffer {
    if (this.#rootKey === undefined) throw new AppError('sealed', 'the service is sealed');
    return wrapLoan(this.#rootKey, publicKey, terms);
  }

  /** Adds a key. */
  rotate(): Promise<void> {
    return this.#change((keyring) => withNewKey(keyring, this.#clock.now()));
  }

  get rotation(): RotationRule {
    return this.#barrier.keyring.rotation;
  }

  /** Adds a key if the newest one is due for rotation. With several processes, only one does. */
  async rotateIfDue(): Promise<void> {
    if (!this.held || !isRotationDue(this.#barrier.keyring, this.#clock.now())) return;
    const now = this.#clock.now();
    await this.#change((keyring) => (isRotationDue(keyring, now) ? withNewKey(keyring, now) : keyring));
  }

  /** Changes when keys are replaced. */
  configure(change: Partial<RotationRule>): Promise<void> {
    return this.#change((keyring) => ({ ...keyring, rotation: { ...keyring.rotation, ...change } }));
  }

  /** Adds the counts of this process to the stored ones, and a new key if the newest is then due for rotation. */
  async storeCounts(countsMin: number = countsStoredMin): Promise<void> {
    const used = new Map(this.#barrier.used);
    const total = [...used.values()].reduce((sum, count) => sum + count, 0);
    if (!this.held || total < countsMin) return;
    await this.#change((keyring) => {
      const counted = withEncryptions(keyring, used);
      return isRotationDue(counted, this.#clock.now()) ? withNewKey(counted, this.#clock.now()) : counted;
    });
    this.#barrier.forgetUsed(used);
  }

  status(): KeyStatus {
    const { term, installTime, encryptions } = newestKey(this.#barrier.keyring);
    return { term, installTime, encryptions: encryptions + (this.#barrier.used.get(term) ?? 0) };
  }

  /** Overwrites and forgets all keys. */
  drop(): void {
    this.#barrier.unload();
    this.#rootKey?.fill(0);
    this.#rootKey = undefined;
  }

  async #change(change: (keyring: Keyring) => Keyring): Promise<void> {
    const rootKey = this.#rootKey;
    if (rootKey === undefined) throw new AppError('sealed', 'the service is sealed');
    const { record, keyring } = await inTransaction(this.#db, (tx) => changeKeyring(tx, rootKey, change));
    // The keys may have been dropped meanwhile and must not come back.
    if (this.#rootKey !== rootKey) zeroKeyring(keyring);
    else this.hold(record, rootKey, keyring);
  }
}
