import type { SealType } from '../../tables.ts';
import type { SealRecord } from '../record.ts';

/** Opens the root key without people: by a configured key, a key service, or an unsealed process that lends it. */
export interface RootKeySource {
  /** Whether it is for this record. A record without a source waits for key shares or for a migration. */
  opens(record: SealRecord): boolean;
  /**
   * @throws CipherError when the record was not sealed under this key: it is not asked again about the same root key.
   * @throws AppError `unavailable` when it cannot be asked now, with what to do about it: it is asked again later.
   */
  openRootKey(record: SealRecord, signal: AbortSignal): Promise<Buffer>;
  /** The longest pause before it is asked again, in milliseconds. Absent: 30,000. */
  readonly retryMsMax?: number;
  /** Overwrites keys and ends connections. */
  close(): void;
}

/**
 * An unsealed process that lends the root key. What it lends is forgotten when the installation is sealed, or when that cannot be known for
 * `keepMs`, and is asked for anew.
 */
export interface Lender extends RootKeySource {
  /** In milliseconds. */
  readonly keepMs: number;
}

/** A key outside of the store, which can be the seal of a new store or the target of a migration. */
export interface OuterKey extends RootKeySource {
  readonly type: AutomaticSealType;
  /** @throws AppError `unavailable` like `openRootKey` */
  wrapRootKey(rootKey: Uint8Array, clusterId: string, signal: AbortSignal): Promise<WrappedRootKey>;
}

/** Seals that need no people. */
export type AutomaticSealType = Exclude<SealType, 'shamir'>;

export interface WrappedRootKey {
  /** What only the outer key opens. */
  readonly wrapped: Buffer;
  /** Names the key, and its version where the service tells it; empty for a key without a name. */
  readonly keyId: string;
}

/** How long a source may take for one answer, in milliseconds. */
export const outerKeyMsMax = 10_000;
