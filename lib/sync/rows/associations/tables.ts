import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    associations: AssociationsTable;
    sync_objects: SyncObjectsTable;
  }
}

/**
 * An association links a secret to a destination. It is *dirty* while `generation > observed_generation`: that is the
 * outbox. Every relevant change adds one to `generation` in its own transaction; the worker that has brought the
 * external system in line with generation n sets `observed_generation = n`. A crash between any two steps leaves the row
 * dirty, and the sweep queues it again.
 */
export interface AssociationsTable {
  id: GeneratedAlways<string>;
  destination_id: string;
  /** Destination type, for the choice of the queue. */
  type: string;
  mount_id: string;
  mount_path: string;
  mount_accessor: string;
  secret_name: string;
  /** Granularity and template as they were when the secret was associated (or set again). */
  granularity: string;
  template: string;
  adopt: boolean;
  desired: 'present' | 'absent';
  generation: ColumnType<number, number | undefined, number>;
  observed_generation: ColumnType<number, number | undefined, number>;
  /** Push even what looks unchanged, while greater than `observed_generation`. */
  forced_generation: ColumnType<number, number | undefined, number>;
  /** Look even at what was looked at not long ago, while greater than `observed_generation`. */
  verify_generation: ColumnType<number, number | undefined, number>;
  status: string;
  error: Json<SyncError | null>;
  records: Json<readonly SyncRecord[]>;
  attempts: ColumnType<number, number | undefined, number>;
  next_attempt_at: Timestamp | null;
  updated_at: Timestamp;
  dirty_since: Timestamp | null;
  /** The worker that has it in flight, and until when. */
  claimed_by: string | null;
  claimed_until: Timestamp | null;
  /** When a call whose end nobody saw can last have been in flight; null: nothing of that kind is remembered. */
  unconfirmed_at: Timestamp | null;
  /** When the destination is looked at again because of it; null: it has to come in line first. */
  recheck_at: Timestamp | null;
  /** Rechecks that were done since. */
  rechecks: Generated<number>;
  /** The objects are looked at again, also those that look unchanged, while greater than `observed_generation`. */
  recheck_generation: Generated<number>;
}

/** Why the last attempt failed. Never holds a secret value. */
export interface SyncError {
  readonly kind: string;
  readonly message: string;
}

/** One record per object in the reads of associations. */
export interface SyncRecord {
  readonly sub_key: string;
  readonly external_name: string;
  readonly status: string;
  readonly error: SyncError | null;
  /** RFC 3339. */
  readonly updated_at: string;
  /** While the association is not done: the generation that this record is of, so that the next attempt goes on here. */
  readonly generation?: number;
}

/**
 * An object at a destination that we wrote, or are about to write (`written_at` null). We remove only these. One that we removed
 * stays as a tombstone (`removed_at`) while a late write may bring it back.
 */
export interface SyncObjectsTable {
  association_id: string;
  destination_id: string;
  sub_key: string;
  external_name: string;
  /** The name as the remote compares names; unique in a destination. */
  name_key: string;
  mark: string;
  intended_at: Timestamp;
  /** When it was last written, or looked at and found as we left it. */
  written_at: Timestamp | null;
  remote_version: string | null;
  /** Keyed hash of the value and tags. */
  fingerprint: Buffer | null;
  tag_keys: string[];
  removed_at: Timestamp | null;
}
