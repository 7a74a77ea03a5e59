import type { SealState } from '../contract.ts';
import { Lapse } from '../keys/lapse.ts';
import type { SealParts } from '../parts.ts';
import { readRecord, type SealRecord } from '../record.ts';
import { UnsealProgress } from '../shares/progress.ts';
import { HeldKeyring } from './keyring.ts';

/** What this process knows about the seal, and the keys while it holds them. Callers must serialise the methods that change it. */
export class HeldSeal {
  readonly keyring: HeldKeyring;
  readonly progress = new UnsealProgress();
  /** The row as last read. */
  record: SealRecord | undefined;
  /** Set when the process was sealed by request: it must not unseal itself again. */
  staysSealed = false;
  readonly #parts: SealParts;
  /** Whether the keys are on loan from another process. */
  #lent = false;
  readonly #lapse: Lapse;

  constructor(parts: SealParts) {
    const { db, barrier, borrowsFrom, log, clock } = parts;
    this.#parts = parts;
    this.keyring = new HeldKeyring(db, barrier, clock);
    const keepMs = borrowsFrom?.keepMs ?? 0;
    this.#lapse = new Lapse(keepMs, () => {
      log.warn({ keepMs }, 'the record of the seal could not be read for too long: the borrowed root key is dropped');
      this.giveBack();
    });
  }

  get state(): SealState {
    if (this.record === undefined) return 'uninitialised';
    return this.keyring.held ? 'ready' : 'sealed';
  }

  /** Reads the row again and carries out what another process has requested. */
  async read(): Promise<void> {
    const { db, log } = this.#parts;
    const record = await readRecord(db);
    if (!this.keyring.follow(record)) {
      log.error({}, 'the store was replaced by a different one: sealing');
      this.giveBack();
    }
    this.#lapse.read();
    if (this.keyring.held && record?.seals !== this.record?.seals) {
      log.warn({}, 'the installation was sealed: sealing this process');
      // A borrower may ask again: operators decide when the lender is unsealed.
      if (this.#lent) this.giveBack();
      else this.sealNow();
    }
    // Shares of one seal are useless for another.
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

  /** Drops the keys; the process may unseal itself again. */
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
