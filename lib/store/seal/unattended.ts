import type { HeldSeal } from './held-seal.ts';
import { type Stand, standOf } from './migration/stand.ts';
import { waitsForMigration } from './migration/waiting.ts';
import type { mutex } from './mutex.ts';
import { type OpenedRootKey, RootKeyOpener } from './opener.ts';
import type { SealParts } from './parts.ts';
import { readRecord, type SealRecord } from './record.ts';

/** Unseals the process without people, where it has a key or a lender. */
export class Unattended {
  readonly #parts: SealParts;
  readonly #seal: HeldSeal;
  readonly #inTurn: ReturnType<typeof mutex>;
  readonly #opener: RootKeyOpener;
  readonly #sayMigration: (record: SealRecord) => void;
  #running: Promise<void> | undefined;

  constructor(parts: SealParts, seal: HeldSeal, inTurn: ReturnType<typeof mutex>) {
    const { outerKey, lenders, borrowsFrom, log, clock } = parts;
    this.#parts = parts;
    this.#seal = seal;
    this.#inTurn = inTurn;
    const sources = [outerKey, ...lenders, borrowsFrom].filter((source) => source !== undefined);
    this.#opener = new RootKeyOpener({ sources, log, clock, random: Math.random });
    this.#sayMigration = waitsForMigration(parts, log);
  }

  /** Ends when the process is unsealed, or when whoever was asked has had its time. One attempt at a time. */
  unseal(): Promise<void> {
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** How the stored seal stands to the configured one. */
  stand(): Stand {
    const { record } = this.#seal;
    return record === undefined ? 'fits' : standOf(record, this.#parts, this.#opener.hasRefused(record));
  }

  close(): void {
    this.#opener.close();
  }

  async #ask(): Promise<void> {
    const { record, keyring, staysSealed } = this.#seal;
    if (record === undefined || keyring.held || staysSealed) return;
    if (record.type !== 'shamir' && this.stand() === 'migrates') return this.#sayMigration(record);
    const opened = await this.#opener.open(record);
    if (opened !== undefined) await this.#inTurn(() => this.#take(opened, record));
  }

  /** Much may have happened while the root key was asked for. */
  async #take({ rootKey, source }: OpenedRootKey, asked: SealRecord): Promise<void> {
    const seal = this.#seal;
    try {
      const record = await readRecord(this.#parts.db);
      // What was lent before a sealing is of no use after it.
      if (record === undefined || record.seals !== asked.seals || seal.keyring.held || seal.staysSealed) return;
      seal.open(record, rootKey, source === this.#parts.borrowsFrom);
    } finally {
      if (!seal.keyring.holds(rootKey)) rootKey.fill(0);
    }
  }
}
