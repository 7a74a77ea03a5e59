import type { SealRecord, SealType } from '../record.ts';

/** Opens the root key without an operator: by a configured key, a key service, or an unsealed process that lends it. */
export interface RootKeySource {
  /** Whether it is responsible for this record. A record without a source waits for key shares or for a migration. */
  opens(record: SealRecord): boolean;
  /**
   * @throws CipherError when the record was not sealed under this key; the source is not called again for the same root key.
   * @throws AppError `unavailable` when the source cannot answer now, with a message that says what to do; it is called again later.
   */
  openRootKey(record: SealRecord, signal: AbortSignal): Promise<Buffer>;
  /** The longest pause between two calls, in milliseconds. Default: 30,000. */
  readonly retryMsMax?: number;
  /** Overwrites keys and ends connections. */
  close(): void;
}

/**
 * An unsealed process that lends the root key. The borrower drops the key when the installation is sealed, or when it cannot find out
 * whether it is for `keepMs`, and then asks again.
 */
export interface Lender extends RootKeySource {
  /** In milliseconds. */
  readonly keepMs: number;
}

/** A key outside the store, which can be the seal of a new store or the target of a migration. */
export interface OuterKey extends RootKeySource {
  readonly type: AutomaticSealType;
  /** @throws AppError `unavailable` like `openRootKey` */
  wrapRootKey(rootKey: Uint8Array, clusterId: string, signal: AbortSignal): Promise<WrappedRootKey>;
}

/** Seals that need no operator. */
export type AutomaticSealType = Exclude<SealType, 'shamir'>;

export interface WrappedRootKey {
  /** The root key, encrypted so that only the outer key opens it. */
  readonly wrapped: Buffer;
  /** Names the key, and its version where the service reports it; empty for a key without a name. */
  readonly keyId: string;
}

/** Time limit for one answer of a source, in milliseconds. */
export const outerKeyMsMax = 10_000;
