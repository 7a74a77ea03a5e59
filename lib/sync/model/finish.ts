import { z } from 'zod';
import { jsonOf, nullable } from '#store/sql/kinds.ts';
import type { SyncStatus } from './status.ts';
import type { Remembered } from './unconfirmed.ts';

/** The outcome of one attempt, as its worker stores it. */
export interface Finish {
  readonly id: string;
  /** The token of the claim. */
  readonly token: string;
  /** The generation that the attempt worked on. */
  readonly generation: number;
  /** True when this generation is finished, false when another attempt follows. */
  readonly done: boolean;
  readonly status: SyncStatus;
  readonly error: SyncError | null;
  readonly records: readonly SyncRecord[];
  /** Consecutive failed attempts including this one; 0 after a success. */
  readonly attempts: number;
  /** Milliseconds until the next attempt; null when no delay applies. */
  readonly retryMs: number | null;
  readonly written: readonly WrittenObject[];
  /** Name keys of unchanged objects: no call was made for them, or none that changed them. */
  readonly kept: readonly string[];
  /** Name keys of objects that no longer exist. */
  readonly removed: readonly string[];
  /** Name keys of objects that no longer exist but that a late write may bring back. */
  readonly tombstoned: readonly string[];
  /** What to remember about unconfirmed calls from now on; null leaves it unchanged. */
  readonly remembered: Remembered | null;
  /** What a finished recheck found; null when the attempt was not a recheck. */
  readonly rechecked: Rechecked | null;
  readonly attempt: Attempted;
}

/** What the history keeps of an attempt beside its error. */
export interface Attempted {
  readonly outcome: AttemptOutcome;
  /** From the start of the attempt to the end of its last call. */
  readonly durationMs: number;
  /** As they count against the rate of the destination, some of them by a fraction. */
  readonly calls: number;
  /** The destination's id of the request that failed; null when nothing failed or it named none. */
  readonly requestId: string | null;
}

/** `retrying`: it failed and is tried again by itself. `continued`: the time of the attempt was over, and another one goes on. */
export type AttemptOutcome = 'synced' | 'unsynced' | 'failed' | 'retrying' | 'continued';

/** `unchanged`: every object was as we left it. `mended`: at least one was not. `repeated`: pushed again without looking. */
export type Rechecked = 'unchanged' | 'mended' | 'repeated';

export interface WrittenObject {
  readonly name_key: string;
  readonly sub_key: string;
  readonly remote_version: string | null;
  /** In the form in which PostgreSQL reads bytes: `\\x` and hexadecimal digits. */
  readonly fingerprint: string;
  readonly tag_keys: readonly string[];
  /** The row already has this sub key and these tag keys, and is not a tombstone. */
  readonly noted: boolean;
}

/**
 * - `settled`: there is no newer generation.
 * - `superseded`: a newer generation arrived meanwhile, so the work continues at once.
 * - `lost`: the claim had expired and another worker has the association, or the association was deleted. Nothing was written.
 */
export type Finished = 'settled' | 'superseded' | 'lost';

/** Why the last attempt failed. Never holds a secret value. */
const syncError = z.strictObject({ kind: z.string(), message: z.string() }).readonly();

export type SyncError = z.infer<typeof syncError>;

/** One record per object in the reads of associations. */
const syncRecord = z
  .strictObject({
    sub_key: z.string(),
    external_name: z.string(),
    status: z.string(),
    error: syncError.nullable(),
    /** RFC 3339. */
    updated_at: z.string(),
    /** Set while the association is not done: the generation of this record, from which the next attempt continues. */
    generation: z.number().exactOptional(),
  })
  .readonly();

export type SyncRecord = z.infer<typeof syncRecord>;

/** The JSON columns of associations. */
export const recordColumns = { error: nullable(jsonOf(syncError)), records: jsonOf(z.array(syncRecord).readonly()) };
