import type { Transaction } from 'kysely';
import type { RotationRule } from '../encryption/keyring.ts';
import type { Database } from '../tables.ts';
import type { Loan } from './keys/loan.ts';
import type { SealType } from './record.ts';
import type { ShareRule } from './shares/shares.ts';

/**
 * The seal of this process. `uninitialised`: the store has no keyring yet. `sealed`: the store has a keyring, but this process does
 * not hold it. `ready`: the process holds the keyring and the barrier works. Initialisation leads to `sealed` with key shares and to
 * `ready` with the automatic seal; enough shares, or the configured key, lead from `sealed` to `ready`; `sealNow` and the end of the
 * process lead back. Each process is unsealed separately.
 */
export interface Seal {
  state(): SealState;
  /** The status as known in memory; works also while the database is unavailable. */
  status(): SealStatus;
  /**
   * Makes the keyring. `prepare` runs inside the transaction with the barrier open and creates what must exist from the start, such
   * as the root token; if it fails, nothing is initialised. It must not call the seal. `recovery` is the share rule of the recovery
   * key, for the automatic seal only; without it, there is no recovery key.
   *
   * @throws AppError `bad-request` when the rule is invalid or the store is already initialised.
   */
  init<T>(rule: ShareRule, prepare: Prepare<T>, recovery?: ShareRule): Promise<Initialised<T>>;
  /**
   * Takes one share, in hex or base64. With `migrate`, enough shares change the seal of the store to the configured one.
   *
   * @throws AppError `bad-request` when the text is not a share, or when enough shares were given but do not form the key.
   */
  unseal(share: string, migrate?: boolean): Promise<SealStatus>;
  /** Forgets the shares given so far. */
  resetUnseal(): SealStatus;
  /** Overwrites the keys in this process. With an automatic seal, the process stays sealed until it is restarted. */
  sealNow(): void;
  /**
   * Seals every process of the installation: this one at once, the others as soon as they read the row again.
   *
   * @throws AppError `unavailable` when the database is unavailable; only this process is sealed then
   */
  sealEverywhere(): Promise<void>;
  /**
   * Wraps the root key for a process that holds the private half of this key and unseals itself with the root key. Checks the database
   * first, so that nothing is lent once the installation has been sealed, even if this process has not noticed yet.
   *
   * @throws AppError `sealed`; `bad-request` with an automatic seal or an unsuitable key; `unavailable` while the database is unavailable
   */
  lend(publicKey: string): Promise<Loan>;
  /** Adds a key. After a short delay, new values are sealed under it. @throws AppError `sealed` */
  rotate(): Promise<void>;
  /** When keys are rotated automatically. @throws AppError `sealed` */
  rotation(): RotationRule;
  /** Changes the given fields of the rotation rule. @throws AppError `sealed` */
  configureRotation(change: Partial<RotationRule>): Promise<void>;
  /** Adds a key if the newest one is due for rotation; does nothing while sealed. */
  rotateIfDue(): Promise<void>;
  /** Periodically checks whether the key service has a newer version of its key, and rewraps the root key. Never throws. */
  rewrapIfDue(): Promise<void>;
  /** @throws AppError `sealed` */
  keyStatus(): KeyStatus;
  /**
   * Reads the row again, in case another process has initialised, sealed or rotated. Unseals if that needs no operator, without
   * waiting for a slow key service.
   */
  refresh(): Promise<void>;
}

/** Writes the initial contents of a new store in the transaction. */
export type Prepare<T> = (tx: Transaction<Database>) => Promise<T>;

export type SealState = 'ready' | 'sealed' | 'uninitialised';

export interface SealStatus {
  readonly state: SealState;
  readonly type: SealType;
  /** Shares of the unseal key, or of the recovery key with the automatic seal. 0 before initialisation or without such a key. */
  readonly shares: number;
  readonly threshold: number;
  /** Shares given so far. */
  readonly progress: number;
  readonly nonce: string;
  /** True while the process is sealed until enough shares are given to migrate to the configured seal. */
  readonly migration: boolean;
  /** Empty before initialisation. */
  readonly clusterId: string;
  readonly clusterName: string;
}

export interface KeyStatus {
  readonly term: number;
  readonly installTime: Date;
  /** Approximate: each process keeps its own count and adds it to the stored count now and then. */
  readonly encryptions: number;
}

export interface Initialised<T> {
  /** The shares of the unseal key; empty with an automatic seal. They exist nowhere else. */
  readonly shares: readonly Buffer[];
  /** The shares of the recovery key. They exist nowhere else. */
  readonly recoveryShares: readonly Buffer[];
  readonly prepared: T;
}
