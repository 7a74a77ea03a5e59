import type { SealState } from './contract.ts';
import { HeldKeyring } from './held-keyring.ts';
import { Lapse } from './keys/lapse.ts';
import type { SealParts } from './parts.ts';
import { readRecord, type SealRecord } from './record.ts';
import { UnsealProgress } from './shares/progress.ts';

/** What this process knows of the seal, and the keys while it has them. Its methods that change it are called one after the other. */
export class HeldSeal {
  readonly keyring: HeldKeyring;
  readonly progress = new UnsealProgress();
  /** The row as it was read last. */
  record: SealRecord | undefined;
  /** Sealed by hand: the process does not unseal itself again. */
  staysSealed = false;
  readonly #parts: SealParts;
  /** The keys that are held were lent. */
  #lent = false;
  readonly #lapse: Lapse;

  constructor(parts: SealParts) {
    const { db, barrier, borrowsFrom, log, clock } = parts;
    this.#parts = parts;
    this.keyring = new HeldKeyring(db, barrier, clock);
    const keepMs = borrowsFrom?.keepMs ?? 0;
    this.#lapse = new Lapse(keepMs, () => {
      log.warn(
        { keepMs },
        'the record of the seal could not be read for too long: the root key that was lent is forgotten',
      );
      this.giveBack();
    });
  }

  get state(): SealState {
    if (this.record === undefined) return 'uninitialised';
    return this.keyring.held ? 'ready' : 'sealed';
  }

  /** Reads the row again, and does what another process has asked for. */
  async read(): Promise<void> {
    const { db, log } = this.#parts;
    const record = await readRecord(db);
    if (!this.keyring.follow(record)) {
      log.error({}, 'the store was replaced by another one: sealing');
      this.giveBack();
    }
    this.#lapse.read();
    if (this.keyring.held && record?.seals !== this.record?.seals) {
      log.warn({}, 'the installation was sealed: sealing this process');
      // People decide when there is something to lend again.
      if (this.#lent) this.giveBack();
      else this.sealNow();
    }
    // Shares of one seal are none of another.
    if (record?.type !== this.record?.type) this.progress.reset();
    this.record = record;
    await this.keyring.storeCounts();
  }

  /** @throws CipherError when this is not the root key of the record */
  open(record: SealRecord, rootKey: Buffer, lent = false): void {
    this.keyring.open(record, rootKey);
    this.record = record;
    this.#lent = lent;
    if (lent) this.#lapse.start();
    this.#parts.log.info({ cluster_id: record.cluster_id }, 'unsealed');
  }

  /** Forgets the keys; those that were lent are asked for again. */
  giveBack(): void {
    this.#lapse.stop();
    this.#lent = false;
    this.keyring.drop();
  }

  sealNow(): void {
    this.staysSealed = true;
    this.giveBack();
    this.progress.reset();
  }
}
