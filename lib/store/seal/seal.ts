import type { Kysely } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { AppError, badRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { KeyringBarrier } from '../encryption/barrier.ts';
import type { RotationRule } from '../encryption/keyring.ts';
import type { Database } from '../tables.ts';
import type { Initialised, KeyStatus, Prepare, Seal, SealState, SealStatus } from './contract.ts';
import { HeldKeyring } from './held-keyring.ts';
import { Lapse } from './keys/lapse.ts';
import type { Loan } from './keys/loan.ts';
import type { Lender, OuterKey, RootKeySource } from './keys/root-key-source.ts';
import { mutex } from './mutex.ts';
import { type OpenedRootKey, RootKeyOpener } from './opener.ts';
import { countSeal, openRootKey, readRecord, readStanding, type SealRecord } from './record.ts';
import { makeRecoveryKey } from './recovery.ts';
import { alreadyInitialised, notInitialised, unsealed } from './refusals.ts';
import { decodeKey } from './shares/key-text.ts';
import { UnsealProgress } from './shares/progress.ts';
import { checkShareRule, combineShares, mustBeShare, type ShareRule } from './shares/shares.ts';
import { storeMaterial } from './start/initialise.ts';
import { newMaterial } from './start/material.ts';
import { statusOf } from './status.ts';

export interface SealParts {
  readonly db: Kysely<Database>;
  readonly barrier: KeyringBarrier;
  /** The key of the automatic seal; undefined: key shares. */
  readonly outerKey: OuterKey | undefined;
  /** What else opens the root key without people. */
  readonly lenders: readonly RootKeySource[];
  /** Who lends the root key to this process; undefined: nobody. */
  readonly borrowsFrom: Lender | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

/** How long a refresh waits for a key service, in milliseconds: others wait for it, and the answer is not lost. */
const openWaitMs = 1_000;

/** The seal over the table `seal`. What waits for the database happens one after the other; what waits for a key service does not hold it up. */
export class BarrierSeal implements Seal {
  readonly #parts: SealParts;
  readonly #keyring: HeldKeyring;
  readonly #opener: RootKeyOpener;
  readonly #progress = new UnsealProgress();
  readonly #mutex = mutex();
  /** The row as it was read last. */
  #record: SealRecord | undefined;
  /** Sealed by hand: the process does not unseal itself again. */
  #staysSealed = false;
  /** The keys that are held were lent. */
  #lent = false;
  readonly #lapse: Lapse;
  #refreshing: Promise<void> | undefined;
  #opening: Promise<void> | undefined;

  constructor(parts: SealParts) {
    const { db, barrier, outerKey, lenders, borrowsFrom, log, clock } = parts;
    this.#parts = parts;
    this.#keyring = new HeldKeyring(db, barrier, clock);
    const sources = [outerKey, ...lenders, borrowsFrom].filter((source) => source !== undefined);
    const keepMs = borrowsFrom?.keepMs ?? 0;
    this.#lapse = new Lapse(keepMs, () => {
      log.warn(
        { keepMs },
        'the record of the seal could not be read for too long: the root key that was lent is forgotten',
      );
      this.#giveBack();
    });
    this.#opener = new RootKeyOpener({ sources, log, clock, random: Math.random });
    barrier.onMissingTerm(() => this.refresh());
  }

  state(): SealState {
    if (this.#record === undefined) return 'uninitialised';
    return this.#keyring.held ? 'ready' : 'sealed';
  }

  status(): SealStatus {
    const configured = this.#parts.outerKey?.type ?? 'shamir';
    return statusOf({ state: this.state(), record: this.#record, configured, progress: this.#progress });
  }

  init<T>(rule: ShareRule, prepare: Prepare<T>, recovery?: ShareRule): Promise<Initialised<T>> {
    const { db, barrier, outerKey, clock } = this.#parts;
    return this.#mutex(async () => {
      this.#record = await readRecord(db);
      if (this.#record !== undefined) throw alreadyInitialised();
      if (outerKey === undefined) checkShareRule(rule);
      if (recovery !== undefined) checkShareRule(recovery, 'recovery');
      const material = await newMaterial(rule, outerKey, clock.now());
      const { record, value } = await storeMaterial(db, barrier, material, async (tx) => ({
        recoveryShares: recovery ? await makeRecoveryKey(tx, barrier, material.record.cluster_id, recovery) : [],
        prepared: await prepare(tx),
      }));
      this.#record = record;
      this.#keyring.hold(record, material.rootKey, material.keyring);
      if (outerKey === undefined) this.#keyring.drop();
      return { shares: material.shares, ...value };
    });
  }

  unseal(text: string): Promise<SealStatus> {
    return this.#mutex(async () => {
      const share = decodeKey(text);
      if (share === undefined) throw badRequest("'key' must be a valid hex or base64 string");
      this.#record ??= await readRecord(this.#parts.db);
      const record = this.#record;
      if (record === undefined) throw notInitialised();
      const { held } = this.#keyring;
      if (record.type !== 'shamir' && !held) {
        throw badRequest('this service is unsealed by its configured key when it starts');
      }
      if (record.type === 'shamir') mustBeShare(share, record);
      // It may be that another process has sealed the installation, and this one has not heard of it yet.
      if (held) await this.#read();
      if (this.#keyring.held) return this.status();
      this.#progress.add(share);
      if (this.#progress.shares.length >= record.threshold) await this.#openWithShares();
      return this.status();
    });
  }

  resetUnseal(): SealStatus {
    if (this.#keyring.held) throw unsealed();
    this.#progress.reset();
    return this.status();
  }

  sealNow(): void {
    this.#staysSealed = true;
    this.#giveBack();
    this.#progress.reset();
  }

  async sealEverywhere(): Promise<void> {
    try {
      await countSeal(this.#parts.db);
    } finally {
      this.sealNow();
    }
  }

  async lend(publicKey: string): Promise<Loan> {
    mustLend(this.status().type);
    const standing = await readStanding(this.#parts.db);
    const known = this.#record;
    if (standing === undefined || standing.cluster_id !== known?.cluster_id || standing.seals !== known.seals) {
      await this.refresh();
      throw new AppError('sealed', 'the service is sealed');
    }
    const terms = { clusterId: known.cluster_id, seals: known.seals };
    return { ...terms, wrapped: this.#keyring.lend(publicKey, terms) };
  }

  rotate(): Promise<void> {
    return this.#mutex(() => this.#keyring.rotate());
  }

  rotation(): RotationRule {
    return this.#keyring.rotation;
  }

  configureRotation(change: Partial<RotationRule>): Promise<void> {
    return this.#mutex(() => this.#keyring.configure(change));
  }

  rotateIfDue(): Promise<void> {
    return this.#mutex(() => this.#keyring.rotateIfDue());
  }

  keyStatus(): KeyStatus {
    return this.#keyring.status();
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#mutex(() => this.#read())
      .then(() => atMost(openWaitMs, this.unsealUnattended()))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  /** Unseals this process if that needs no people. Ends when it has, or when the key service has had its time. */
  unsealUnattended(): Promise<void> {
    this.#opening ??= this.#askForRootKey().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Stores what was counted, then seals. For the end of the process; never throws. */
  async end(): Promise<void> {
    this.#opener.close();
    await this.#mutex(() => this.#keyring.storeCounts(1)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.#parts.log.warn({ error: reason }, 'the last count of encryptions was not stored');
    });
    this.sealNow();
  }

  async #read(): Promise<void> {
    const record = await readRecord(this.#parts.db);
    if (!this.#keyring.follow(record)) {
      this.#parts.log.error({}, 'the store was replaced by another one: sealing');
      this.#giveBack();
    }
    this.#lapse.read();
    if (this.#keyring.held && record?.seals !== this.#record?.seals) {
      this.#parts.log.warn({}, 'the installation was sealed: sealing this process');
      // People decide when there is something to lend again.
      if (this.#lent) this.#giveBack();
      else this.sealNow();
    }
    this.#record = record;
    await this.#keyring.storeCounts();
  }

  async #askForRootKey(): Promise<void> {
    const record = this.#record;
    if (record === undefined || this.#keyring.held || this.#staysSealed) return;
    const opened = await this.#opener.open(record);
    if (opened !== undefined) await this.#mutex(() => this.#take(opened, record));
  }

  /** Much may have happened while the root key was asked for. */
  async #take({ rootKey, source }: OpenedRootKey, asked: SealRecord): Promise<void> {
    try {
      const record = await readRecord(this.#parts.db);
      // What was lent before a sealing is of no use after it.
      if (record === undefined || record.seals !== asked.seals || this.#keyring.held || this.#staysSealed) return;
      this.#open(record, rootKey);
      this.#lent = source === this.#parts.borrowsFrom;
      if (this.#lent) this.#lapse.start();
    } finally {
      if (!this.#keyring.holds(rootKey)) rootKey.fill(0);
    }
  }

  /** Forgets the keys; those that were lent are asked for again. */
  #giveBack(): void {
    this.#lapse.stop();
    this.#lent = false;
    this.#keyring.drop();
  }

  async #openWithShares(): Promise<void> {
    // Read again: the keyring may have been rotated since. When that fails, the shares are kept for the next try.
    const record = await readRecord(this.#parts.db);
    if (record === undefined) throw notInitialised();
    try {
      const unsealKey = await combineShares(this.#progress.shares, record);
      this.#open(record, openRootKey(record, unsealKey));
      unsealKey.fill(0);
    } catch (cause) {
      throw badRequest('the given keys do not unseal this service: start again with the first one', { cause });
    } finally {
      this.#progress.reset();
    }
  }

  #open(record: SealRecord, rootKey: Buffer): void {
    this.#keyring.open(record, rootKey);
    this.#record = record;
    this.#parts.log.info({ cluster_id: record.cluster_id }, 'unsealed');
  }
}

/** With an automatic seal each process has a way of its own to the keys. */
function mustLend(type: SealStatus['type']): void {
  if (type === 'shamir') return;
  throw badRequest(
    'this service has an automatic seal: its workers unseal themselves as the API does, and nothing is lent to them',
  );
}

/** Waits for the end of the work, but no longer than this. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, waited]).finally(() => clearTimeout(timer));
}
