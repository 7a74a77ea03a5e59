import { atMost } from '#core/concurrency/at-most.ts';
import { mutex } from '#core/concurrency/mutex.ts';
import { AppError } from '#core/errors.ts';
import type { RotationRule } from '../encryption/keyring.ts';
import type { Initialised, KeyStatus, Prepare, Seal, SealState, SealStatus } from './contract.ts';
import { Rewrapping } from './held/rewrap.ts';
import { HeldSeal } from './held/seal.ts';
import type { Loan } from './keys/loan.ts';
import type { SealParts } from './parts.ts';
import { countSeal, readRecord, readStanding } from './record.ts';
import { alreadyInitialised, unsealed } from './refusals.ts';
import { makeRecoveryKey } from './shares/recovery.ts';
import { checkShareRule, type ShareRule } from './shares/shares.ts';
import { storeMaterial } from './start/initialise.ts';
import { newMaterial } from './start/material.ts';
import { statusOf } from './status.ts';
import { mustLend } from './unseal/applies.ts';
import { takeShare } from './unseal/by-shares.ts';
import { Unattended } from './unseal/unattended.ts';

/** How long a refresh waits for a key service, in milliseconds. Callers wait for the refresh; a later answer is still used. */
const openWaitMs = 1_000;

/** The seal on top of the table `seal`. Database work is serialised; waiting for a key service does not block it. */
export class BarrierSeal implements Seal {
  readonly #parts: SealParts;
  readonly #seal: HeldSeal;
  readonly #unattended: Unattended;
  readonly #rewrapping: Rewrapping;
  readonly #mutex = mutex();
  #refreshing: Promise<void> | undefined;

  constructor(parts: SealParts) {
    this.#parts = parts;
    this.#seal = new HeldSeal(parts);
    this.#unattended = new Unattended(parts, this.#seal, this.#mutex);
    this.#rewrapping = new Rewrapping(parts);
    parts.barrier.onMissingTerm(() => this.refresh());
  }

  state(): SealState {
    return this.#seal.state;
  }

  status(): SealStatus {
    const configured = this.#parts.outerKey?.type ?? 'shamir';
    const { state, record, progress } = this.#seal;
    const migration = state === 'sealed' && this.#unattended.match() === 'migrates';
    return statusOf({ state, record, configured, progress, migration });
  }

  init<T>(rule: ShareRule, prepare: Prepare<T>, recovery?: ShareRule): Promise<Initialised<T>> {
    const { db, barrier, outerKey, clock } = this.#parts;
    return this.#mutex(async () => {
      this.#seal.record = await readRecord(db);
      if (this.#seal.record !== undefined) throw alreadyInitialised();
      if (outerKey === undefined) checkShareRule(rule);
      if (recovery !== undefined) checkShareRule(recovery, 'recovery');
      const material = await newMaterial(rule, outerKey, clock.now());
      const { record, value } = await storeMaterial(db, barrier, material, async (tx) => ({
        recoveryShares: recovery ? await makeRecoveryKey(tx, barrier, material.record.cluster_id, recovery) : [],
        prepared: await prepare(tx),
      }));
      this.#seal.record = record;
      this.#seal.keyring.hold(record, material.rootKey, material.keyring);
      if (outerKey === undefined) this.#seal.keyring.drop();
      return { shares: material.shares, ...value };
    });
  }

  unseal(text: string, migrate = false): Promise<SealStatus> {
    return this.#mutex(async () => {
      await takeShare(this.#parts, this.#seal, () => this.#unattended.match(), { text, migrate });
      return this.status();
    });
  }

  resetUnseal(): SealStatus {
    if (this.#seal.keyring.held) throw unsealed();
    this.#seal.progress.reset();
    return this.status();
  }

  sealNow(): void {
    this.#seal.sealNow();
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
    const known = this.#seal.record;
    if (standing === undefined || standing.cluster_id !== known?.cluster_id || standing.seals !== known.seals) {
      await this.refresh();
      throw new AppError('sealed', 'the service is sealed');
    }
    const terms = { clusterId: known.cluster_id, seals: known.seals };
    return { ...terms, wrapped: this.#seal.keyring.lend(publicKey, terms) };
  }

  rotate(): Promise<void> {
    return this.#mutex(() => this.#seal.keyring.rotate());
  }

  rotation(): RotationRule {
    return this.#seal.keyring.rotation;
  }

  configureRotation(change: Partial<RotationRule>): Promise<void> {
    return this.#mutex(() => this.#seal.keyring.configure(change));
  }

  rotateIfDue(): Promise<void> {
    return this.#mutex(() => this.#seal.keyring.rotateIfDue());
  }

  async rewrapIfDue(): Promise<void> {
    const record = this.#seal.record;
    if (record !== undefined) await this.#rewrapping.runIfDue(this.#seal.keyring, record);
  }

  keyStatus(): KeyStatus {
    return this.#seal.keyring.status();
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#mutex(() => this.#seal.read())
      .then(() => atMost(openWaitMs, this.unsealUnattended()))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  /** Unseals this process if that needs no operator. Resolves when it has, or when the time limit of the key service has passed. */
  unsealUnattended(): Promise<void> {
    return this.#unattended.unseal();
  }

  /** Stores the counts, then seals. Called at the end of the process; never throws. */
  async end(): Promise<void> {
    this.#unattended.close();
    this.#parts.formerKey?.close();
    await this.#mutex(() => this.#seal.keyring.storeCounts(1)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.#parts.log.warn({ error: reason }, 'the last count of encryptions could not be stored');
    });
    this.sealNow();
  }
}
