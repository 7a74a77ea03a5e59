import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '#core/clock.ts';
import type { Database } from './tables.ts';

/** The store as modules receive it. */
export interface Store {
  /** Pooled; frequent statements are prepared. Loss of the connection is `AppError` `unavailable`. */
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
  /** The time of the database, accurate to one round trip. Comparisons that must be exact belong in a statement. */
  readonly clock: Clock;
  /** Runs `work` in one transaction; repeats it a bounded number of times on serialisation failure or deadlock. */
  transaction<T>(work: (tx: Transaction<Database>) => Promise<T>): Promise<T>;
  /**
   * Runs a read whose answer may be a few seconds old: on the replica if one is configured and fresh enough, else on the primary.
   * Never use it for access decisions, nor for data that clients read back after their own change. `read` may run twice.
   */
  readOlder<T>(read: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A long text in pieces: strings, or bytes that are already UTF-8. */
export type Pieces = Iterator<string | Uint8Array, undefined>;

/**
 * Encryption at rest: AES-256-GCM with a random nonce. Each value begins with the term of its key, so a rotated keyring still
 * opens old values. `aad` binds a value to its row: `<table>/<row id>`. Throws `AppError` `sealed` while the keyring is not in
 * memory, and `internal` when a value does not belong to its row.
 */
export interface Barrier {
  readonly sealed: boolean;
  seal(plaintext: string | Uint8Array, aad: string): Buffer;
  /** Like `seal` for a long text in pieces. Yields to the event loop between slices. */
  sealInSlices(pieces: () => Pieces, aad: string): Promise<Buffer>;
  open(sealed: Uint8Array, aad: string): Buffer;
  /** Like `open` for a long value in pieces. Returns the plaintext in pieces once all of it has been authenticated. */
  openInSlices(sealed: AsyncIterable<Buffer>, aad: string): Promise<readonly Buffer[]>;
  /** HMAC-SHA-256 with a key that never rotates and serves only this purpose (`token`, `fingerprint`, `mark`). */
  mac(purpose: string, data: string | Uint8Array): Buffer;
}
