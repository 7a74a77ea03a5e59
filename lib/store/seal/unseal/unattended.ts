import type { mutex } from '#core/concurrency/mutex.ts';
import type { HeldSeal } from '../held/seal.ts';
import { type SealMatch, sealMatch } from '../migration/match.ts';
import { migrationNotice } from '../migration/notice.ts';
import type { SealParts } from '../parts.ts';
import { readRecord, type SealRecord } from '../record.ts';
import { type OpenedRootKey, RootKeyOpener } from './opener.ts';

/** Unseals the process without an operator, if it has a key or a lender. */
export class Unattended {
  readonly #parts: SealParts;
  readonly #seal: HeldSeal;
  readonly #mutex: ReturnType<typeof mutex>;
  readonly #opener: RootKeyOpener;
  readonly #logMigration: (record: SealRecord) => void;
  #running: Promise<void> | undefined;

  constructor(parts: SealParts, seal: HeldSeal, serialise: ReturnType<typeof mutex>) {
    const { outerKey, lenders, borrowsFrom, log, clock } = parts;
    this.#parts = parts;
    this.#seal = seal;
    this.#mutex = serialise;
    const sources = [outerKey, ...lenders, borrowsFrom].filter((source) => source !== undefined);
    this.#opener = new RootKeyOpener({ sources, log, clock, random: Math.random });
    this.#logMigration = migrationNotice(parts, log);
  }

  /** Resolves when the process is unsealed, or when the time limit of the source has passed. Concurrent calls share one attempt. */
  unseal(): Promise<void> {
    this.#running ??= this.#attempt().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** How the stored seal compares with the configured one. */
  match(): SealMatch {
    const { record } = this.#seal;
    return record === undefined ? 'matches' : sealMatch(record, this.#parts, this.#opener.hasRefused(record));
  }

  close(): void {
    this.#opener.close();
  }

  async #attempt(): Promise<void> {
    const { record, keyring, staysSealed } = this.#seal;
    if (record === undefined || keyring.held || staysSealed) return;
    if (record.type !== 'shamir' && this.match() === 'migrates') return this.#logMigration(record);
    const opened = await this.#opener.open(record);
    if (opened !== undefined) await this.#mutex(() => this.#take(opened, record));
  }

  /** Checks the state again, since it may have changed while the root key was being fetched. */
  async #take({ rootKey, source }: OpenedRootKey, asked: SealRecord): Promise<void> {
    const seal = this.#seal;
    try {
      const record = await readRecord(this.#parts.db);
      // A root key that was requested before a sealing must not unseal after it.
      if (record === undefined || record.seals !== asked.seals || seal.keyring.held || seal.staysSealed) return;
      seal.open(record, rootKey, source === this.#parts.borrowsFrom);
    } finally {
      if (!seal.keyring.holds(rootKey)) rootKey.fill(0);
    }
  }
}
