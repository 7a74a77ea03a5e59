import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from './tables.ts';

/** What modules are handed to reach the store. */
export interface Store {
  /** Pooled, statements prepared where marked hot. Loss of the connection is `AppError` `unavailable`. */
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
  /** The time of the store, for what may be off by a round trip. What has to be exact is compared in a statement. */
  readonly clock: Clock;
  /** Runs `work` in one transaction; repeats it a bounded number of times on serialisation failure or deadlock. */
  transaction<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /**
   * Runs a read whose answer may be a few seconds old: on a replica if one is set and no older than its bound, else on the primary. Not
   * for what decides on rights, and not for what clients look at after a change of their own. `read` may run twice.
   */
  readOlder<T>(read: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A long text, piece by piece; some in UTF-8 already. */
export type Pieces = Iterator<string | Uint8Array, undefined>;

/**
 * Encryption at rest. AES-256-GCM with a random nonce; the key term stands in front, so a rotated keyring opens old
 * values. `aad` binds a value to its row: `<table>/<row id>`. Throws `AppError` `sealed` while the keyring is not in
 * memory, and `internal` when a value does not belong to its row.
 */
export interface Barrier {
  readonly sealed: boolean;
  seal(plaintext: string | Uint8Array, aad: string): Buffer;
  /** The same for a long text, given in pieces, in slices, so that everything else goes on. */
  sealInSlices(pieces: () => Pieces, aad: string): Promise<Buffer>;
  open(sealed: Uint8Array, aad: string): Buffer;
  /** The same for a long value that comes in pieces; answers the plaintext in pieces, once all of it has proved to be sound. */
  openInSlices(sealed: AsyncIterable<Buffer>, aad: string): Promise<readonly Buffer[]>;
  /** HMAC-SHA-256 under a key that never rotates and is used for this purpose alone (`token`, `fingerprint`, `mark`). */
  mac(purpose: string, data: string | Uint8Array): Buffer;
}
