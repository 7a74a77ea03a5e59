import type { Kysely } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { AppError, badRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { KeyringBarrier } from '../encryption/barrier.ts';
import type { RotationRule } from '../encryption/keyring.ts';
import type { Database } from '../tables.ts';
import { quorumOf } from './attempts/quorum.ts';
import type { Initialised, KeyStatus, Prepare, Seal, SealState, SealStatus } from './contract.ts';
import { HeldKeyring } from './held-keyring.ts';
import { Lapse } from './keys/lapse.ts';
import type { Loan } from './keys/loan.ts';
import type { Lender, RootKeySource } from './keys/root-key-source.ts';
import { migrateSeal } from './migration/migrate.ts';
import { type ConfiguredKeys, type Stand, standOf } from './migration/stand.ts';
import { mutex } from './mutex.ts';
import { type OpenedRootKey, RootKeyOpener } from './opener.ts';
import { countSeal, openRootKey, readRecord, readStanding, type SealRecord } from './record.ts';
import { makeRecoveryKey } from './recovery.ts';
import { alreadyInitialised, notInitialised, unsealed } from './refusals.ts';
import { rewrap } from './rewrap.ts';
import { decodeKey } from './shares/key-text.ts';
import { UnsealProgress } from './shares/progress.ts';
import { checkShareRule, combineShares, mustBeShare, type ShareRule } from './shares/shares.ts';
import { storeMaterial } from './start/initialise.ts';
import { newMaterial } from './start/material.ts';
import { statusOf } from './status.ts';

export interface SealParts extends ConfiguredKeys {
  readonly db: Kysely<Database>;
  readonly barrier: KeyringBarrier;
  /** What else opens the root key without people. */
  readonly lenders: readonly RootKeySource[];
  /** Who lends the root key to this process; undefined: nobody. */
  readonly borrowsFrom: Lender | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

/** How long a refresh waits for a key service, in milliseconds: others wait for it, and the answer is not lost. */
const openWaitMs = 1_000;
/** How often the key service is asked for a newer version of the key. */
const rewrapMs = 3_600_000;

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
  #saysMigration = true;
  #rewrapAtMs = 0;
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
    const [state, record, progress] = [this.state(), this.#record, this.#progress];
    return statusOf({
      state,
      record,
      configured,
      progress,
      migration: state === 'sealed' && this.#stand() === 'migrates',
    });
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

  unseal(text: string, migrate = false): Promise<SealStatus> {
    return this.#mutex(async () => {
      const share = decodeKey(text);
      if (share === undefined) throw badRequest("'key' must be a valid hex or base64 string");
      this.#record ??= await readRecord(this.#parts.db);
      if (this.#record?.type === 'shamir') mustBeShare(share, this.#record);
      // It may be that another process has sealed the installation, and this one has not heard of it yet.
      if (this.#keyring.held) await this.#read();
      if (this.#keyring.held) return this.status();
      const record = this.#record;
      if (record === undefined) throw notInitialised();
      mustApply(record, this.#stand(), migrate);
      const rule = migrate ? quorumOf(record, this.#parts.barrier).ruleOf(record) : record;
      mustBeShare(share, rule);
      this.#progress.add(share);
      if (this.#progress.shares.length < rule.threshold) return this.status();
      await (migrate ? this.#migrate(record, rule) : this.#openWithShares());
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

  async rewrapIfDue(): Promise<void> {
    const { outerKey, clock, log } = this.#parts;
    const [now, record] = [clock.now().getTime(), this.#record];
    if (outerKey === undefined || record?.type !== outerKey.type || now < this.#rewrapAtMs) return;
    this.#rewrapAtMs = now + rewrapMs;
    await this.#keyring
      .withRootKey((rootKey) => rewrap(this.#parts, outerKey, record, rootKey))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown error';
        log.warn({ error: reason }, 'whether the key of the seal has a newer version is not known');
      });
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
    this.#parts.formerKey?.close();
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
    // Shares of one seal are none of another.
    if (record?.type !== this.#record?.type) this.#progress.reset();
    this.#record = record;
    await this.#keyring.storeCounts();
  }

  async #askForRootKey(): Promise<void> {
    const record = this.#record;
    if (record === undefined || this.#keyring.held || this.#staysSealed) return;
    if (record.type !== 'shamir' && this.#stand() === 'migrates') return this.#sayMigration(record);
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

  #stand(): Stand {
    const record = this.#record;
    return record === undefined ? 'fits' : standOf(record, this.#parts, this.#opener.hasRefused(record));
  }

  #sayMigration({ type }: SealRecord): void {
    if (!this.#saysMigration) return;
    this.#saysMigration = false;
    const configured = this.#parts.outerKey?.type ?? 'shamir';
    const text = 'sealed until the seal is migrated: give shares to sys/unseal with "migrate": true';
    this.#parts.log.warn({ seal: type, configured }, text);
  }

  async #migrate(before: SealRecord, rule: ShareRule): Promise<void> {
    try {
      const { record, rootKey } = await migrateSeal(this.#parts, before, this.#progress.shares, rule);
      this.#staysSealed = false;
      this.#open(record, rootKey);
      this.#progress.reset();
      this.#parts.log.info({ from: before.type, to: record.type }, 'the seal was migrated');
    } catch (error) {
      // While a key service or the database is away, the shares are kept for the next try.
      if (!(error instanceof AppError && error.kind === 'unavailable')) this.#progress.reset();
      throw error;
    }
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

/** @throws AppError `bad-request` for a share that this seal does not take */
function mustApply({ type }: SealRecord, stand: Stand, migrate: boolean): void {
  if (migrate && stand !== 'migrates') {
    throw badRequest(
      'there is nothing to migrate: the store has the configured seal, or one whose key is not configured as the former one',
    );
  }
  if (!migrate && stand === 'migrates') {
    throw badRequest('the store has another seal than the configured one: give every share with "migrate": true');
  }
  if (!migrate && type !== 'shamir') {
    throw badRequest('this service is unsealed by its configured key when it starts');
  }
}

/** Waits for the end of the work, but no longer than this. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, waited]).finally(() => clearTimeout(timer));
}
