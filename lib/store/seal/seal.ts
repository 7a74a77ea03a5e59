import type { Kysely } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { badRequest } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { KeyringBarrier } from '../encryption/barrier.ts';
import { CipherError } from '../encryption/cipher.ts';
import type { RotationRule } from '../encryption/keyring.ts';
import type { Database } from '../tables.ts';
import type { Initialised, KeyStatus, Prepare, Seal, SealState, SealStatus } from './contract.ts';
import { HeldKeyring } from './held-keyring.ts';
import { storeMaterial } from './initialise.ts';
import { decodeKey } from './key-text.ts';
import { newMaterial } from './material.ts';
import { mutex } from './mutex.ts';
import { UnsealProgress } from './progress.ts';
import { countSeal, readRecord, type SealRecord } from './record.ts';
import { makeRecoveryKey } from './recovery.ts';
import { alreadyInitialised, notInitialised, unsealed } from './refusals.ts';
import { checkShareRule, combineShares, mustBeShare, type ShareRule } from './shares.ts';

export interface SealParts {
  readonly db: Kysely<Database>;
  readonly barrier: KeyringBarrier;
  /** The key of the automatic seal; absent: key shares. */
  readonly staticKey: Buffer | undefined;
  readonly log: Log;
  readonly clock: Clock;
}

/** The seal over the table `seal`. What waits for the database happens one after the other. */
export class BarrierSeal implements Seal {
  readonly #parts: SealParts;
  readonly #keyring: HeldKeyring;
  readonly #progress = new UnsealProgress();
  readonly #mutex = mutex();
  /** The row as it was read last. */
  #record: SealRecord | undefined;
  /** Sealed by hand, or the configured key is wrong: the automatic seal does not try again. */
  #staysSealed = false;
  #refreshing: Promise<void> | undefined;

  constructor(parts: SealParts) {
    this.#parts = parts;
    this.#keyring = new HeldKeyring(parts.db, parts.barrier, parts.clock);
    parts.barrier.onMissingTerm(() => this.refresh());
  }

  state(): SealState {
    if (this.#record === undefined) return 'uninitialised';
    return this.#keyring.held ? 'ready' : 'sealed';
  }

  status(): SealStatus {
    const record = this.#record;
    return {
      state: this.state(),
      type: record?.type ?? (this.#parts.staticKey === undefined ? 'shamir' : 'static'),
      ...sharesOf(record),
      progress: this.#progress.shares.length,
      nonce: this.#progress.nonce,
      clusterId: record?.cluster_id ?? '',
      clusterName: record?.cluster_name ?? '',
    };
  }

  init<T>(rule: ShareRule, prepare: Prepare<T>, recovery?: ShareRule): Promise<Initialised<T>> {
    const { db, barrier, staticKey, clock } = this.#parts;
    return this.#mutex(async () => {
      this.#record = await readRecord(db);
      if (this.#record !== undefined) throw alreadyInitialised();
      if (staticKey === undefined) checkShareRule(rule);
      if (recovery !== undefined) checkShareRule(recovery, 'recovery');
      const material = await newMaterial(rule, staticKey, clock.now());
      const { record, value } = await storeMaterial(db, barrier, material, async (tx) => ({
        recoveryShares: recovery ? await makeRecoveryKey(tx, barrier, material.record.cluster_id, recovery) : [],
        prepared: await prepare(tx),
      }));
      this.#record = record;
      this.#keyring.hold(record, material.rootKey, material.keyring);
      if (staticKey === undefined) this.#keyring.drop();
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
      if (record.type === 'static' && !held) {
        throw badRequest('this service is unsealed by its configured key when it starts');
      }
      if (record.type === 'shamir') mustBeShare(share, record);
      // It may be that another process has sealed the installation, and this one has not heard of it yet.
      if (held) await this.#refresh();
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
    this.#keyring.drop();
    this.#progress.reset();
  }

  async sealEverywhere(): Promise<void> {
    try {
      await countSeal(this.#parts.db);
    } finally {
      this.sealNow();
    }
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
    this.#refreshing ??= this.#mutex(() => this.#refresh()).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Stores what was counted, then seals. For the end of the process; never throws. */
  async end(): Promise<void> {
    await this.#mutex(() => this.#keyring.storeCounts(1)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.#parts.log.warn({ error: reason }, 'the last count of encryptions was not stored');
    });
    this.sealNow();
  }

  async #refresh(): Promise<void> {
    const record = await readRecord(this.#parts.db);
    if (!this.#keyring.follow(record)) {
      this.#parts.log.error({}, 'the store was replaced by another one: sealing');
      this.#keyring.drop();
    }
    if (this.#keyring.held && record?.seals !== this.#record?.seals) {
      this.#parts.log.warn({}, 'the installation was sealed: sealing this process');
      this.sealNow();
    }
    this.#record = record;
    if (record !== undefined && !this.#keyring.held) this.#openWithStaticKey(record);
    await this.#keyring.storeCounts();
  }

  async #openWithShares(): Promise<void> {
    // Read again: the keyring may have been rotated since. When that fails, the shares are kept for the next try.
    const record = await readRecord(this.#parts.db);
    if (record === undefined) throw notInitialised();
    try {
      this.#open(record, await combineShares(this.#progress.shares, record));
    } catch (cause) {
      throw badRequest('the given keys do not unseal this service: start again with the first one', { cause });
    } finally {
      this.#progress.reset();
    }
  }

  #openWithStaticKey(record: SealRecord): void {
    const { staticKey, log } = this.#parts;
    if (this.#staysSealed || record.type !== 'static') return;
    try {
      if (staticKey === undefined) throw new CipherError('the store needs an unseal key, and none is configured');
      this.#open(record, Buffer.from(staticKey));
    } catch (cause) {
      if (!(cause instanceof CipherError)) throw cause;
      this.#staysSealed = true;
      log.error({ error: cause.message }, 'the store stays sealed: configure the unseal key it was initialised with');
    }
  }

  #open(record: SealRecord, unsealKey: Buffer): void {
    try {
      this.#keyring.open(record, unsealKey);
    } finally {
      unsealKey.fill(0);
    }
    this.#record = record;
    this.#parts.log.info({ cluster_id: record.cluster_id }, 'unsealed');
  }
}

/** Of the key that people hold: with the automatic seal, the recovery key. */
function sharesOf(record: SealRecord | undefined): ShareRule {
  if (record === undefined) return { shares: 0, threshold: 0 };
  if (record.type === 'static') return { shares: record.recovery_shares, threshold: record.recovery_threshold };
  return { shares: record.shares, threshold: record.threshold };
}
