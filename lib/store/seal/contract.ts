import type { Transaction } from 'kysely';
import type { RotationRule } from '../encryption/keyring.ts';
import type { Database, SealType } from '../tables.ts';
import type { Loan } from './keys/loan.ts';
import type { ShareRule } from './shares/shares.ts';

/**
 * The seal of this process. `uninitialised`: the store has no keyring yet. `sealed`: it has one, and this process does not
 * hold it. `ready`: the barrier works. Initialising leads to `sealed` with key shares and to `ready` with the automatic
 * seal; enough shares, or the configured key, lead from `sealed` to `ready`; `sealNow` and the end of the process lead back.
 * Each process unseals itself.
 */
export interface Seal {
  state(): SealState;
  /** What is known in memory; answers also while the database is away. */
  status(): SealStatus;
  /**
   * Makes the keyring. `prepare` runs inside the transaction with the barrier open and makes what must be there from the
   * start, such as the root token: when it fails, nothing is initialised. It must not call the seal. `recovery` is for the automatic
   * seal: into how many shares its recovery key is split; absent: there is none.
   *
   * @throws AppError `bad-request` when the rule is invalid or somebody was first.
   */
  init<T>(rule: ShareRule, prepare: Prepare<T>, recovery?: ShareRule): Promise<Initialised<T>>;
  /**
   * Takes one share, in hex or base64. `migrate`: enough of them put the configured seal in force where the store has another one.
   *
   * @throws AppError `bad-request` when it is no share, or when enough are there and do not fit.
   */
  unseal(share: string, migrate?: boolean): Promise<SealStatus>;
  /** Forgets the shares given so far. */
  resetUnseal(): SealStatus;
  /** Overwrites the keys in this process. An automatic seal stays closed until the process starts anew. */
  sealNow(): void;
  /**
   * The same in every process of the installation: in this one at once, in the others as soon as they read the row again.
   *
   * @throws AppError `unavailable` when the database is away: then this process alone is sealed
   */
  sealEverywhere(): Promise<void>;
  /**
   * The root key, for a process that holds this public key and unseals itself with it. Asks the database first, so that nothing is lent
   * once the installation has been sealed, even if this process has not noticed yet.
   *
   * @throws AppError `sealed`; `bad-request` with an automatic seal, and for what is no such key; `unavailable` while the database is away
   */
  lend(publicKey: string): Promise<Loan>;
  /** Adds a key, under which new values are sealed soon after. @throws AppError `sealed` */
  rotate(): Promise<void>;
  /** When keys are replaced by themselves. @throws AppError `sealed` */
  rotation(): RotationRule;
  /** Changes what is given of it. @throws AppError `sealed` */
  configureRotation(change: Partial<RotationRule>): Promise<void>;
  /** Adds a key if the newest one is too old; nothing while sealed. */
  rotateIfDue(): Promise<void>;
  /** Now and then looks whether the key service has a newer version of its key, and wraps the root key anew. Never throws. */
  rewrapIfDue(): Promise<void>;
  /** @throws AppError `sealed` */
  keyStatus(): KeyStatus;
  /**
   * Reads the row again: initialised or rotated by another process? Unseals if that needs no people; a key service that is slow
   * is not waited for.
   */
  refresh(): Promise<void>;
}

/** Writes by `tx` what a new store starts with. */
export type Prepare<T> = (tx: Transaction<Database>) => Promise<T>;

export type SealState = 'ready' | 'sealed' | 'uninitialised';

export interface SealStatus {
  readonly state: SealState;
  readonly type: SealType;
  /** Of the unseal key, or of the recovery key with the automatic seal. 0 before initialisation, and where there is none. */
  readonly shares: number;
  readonly threshold: number;
  /** Shares given so far. */
  readonly progress: number;
  readonly nonce: string;
  /** Sealed until enough shares are given to change the seal to the configured one. */
  readonly migration: boolean;
  /** Empty before initialisation. */
  readonly clusterId: string;
  readonly clusterName: string;
}

export interface KeyStatus {
  readonly term: number;
  readonly installTime: Date;
  /** Approximate: each process counts for itself and adds to the stored count now and then. */
  readonly encryptions: number;
}

export interface Initialised<T> {
  /** The shares of the unseal key; none with an automatic seal. They exist here and nowhere else. */
  readonly shares: readonly Buffer[];
  /** The same of the recovery key. */
  readonly recoveryShares: readonly Buffer[];
  readonly prepared: T;
}
