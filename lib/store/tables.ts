import type { ColumnType, Generated } from 'kysely';

/**
 * The tables as Kysely sees them. Here are the store's own; every other module adds its tables beside its queries, by
 * `declare module '…/store/tables.ts' { interface Database { … } }`. Migrations are central, in `migrations/`.
 *
 * `bytea` columns named in the comments as sealed hold what the barrier made of a value; everything else is readable to who can
 * read the database, so nothing sensitive stands there. Identity columns (`bigint`) come back as text: they are ids, not
 * numbers to calculate with.
 */
export interface Database {
  key_attempts: KeyAttemptsTable;
  revisions: RevisionsTable;
  seal: SealTable;
}

export type Timestamp = ColumnType<Date, Date, Date>;
/** Read as data, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>;

/** Counts the changes of something that processes keep a copy of (`mounts`, `policies`); the copy is old when its number is. */
export interface RevisionsTable {
  name: string;
  revision: Generated<number>;
}

/** What opens the root key: key shares, a configured key, or a key that a cloud's key service keeps. */
export type SealType = 'shamir' | 'static' | 'cloud-a-kms' | 'cloud-b-keys' | 'cloud-c-kms';

/** One row. What of it is set depends on the seal type. */
export interface SealTable {
  id: number;
  type: SealType;
  shares: number;
  threshold: number;
  /** The root key under the unseal key, or under the outer key. */
  root_key: Buffer;
  /** The key of the key service that the root key was wrapped under, with its version; else empty. */
  key_id: Generated<string>;
  /** The keyring under the root key. */
  keyring: Buffer;
  cluster_id: string;
  cluster_name: string;
  /** Grows with each rotation, so that other processes reload the keyring. */
  revision: number;
  /** Into how many shares the recovery key of the automatic seal is split; 0: there is none. */
  recovery_shares: Generated<number>;
  recovery_threshold: Generated<number>;
  /** Sealed. Additional data: `seal/recovery_key/<cluster_id>`. */
  recovery_key: Buffer | null;
  /** How often the installation was sealed by hand. */
  seals: Generated<number>;
}

/** One row per kind, while holders of key shares are at it. */
export interface KeyAttemptsTable {
  kind: 'rekey' | 'recovery-rekey' | 'root-token';
  nonce: string;
  started_at: Timestamp;
  /** Sealed: what was asked for, and the shares given so far. */
  state: Buffer;
}
