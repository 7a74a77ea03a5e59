import type { Remembered } from '../recheck/schedule.ts';
import type { SyncError, SyncRecord } from '../rows/associations/tables.ts';
import type { SyncStatus } from '../status.ts';

/** What a worker writes back of one attempt. */
export interface Finish {
  readonly id: string;
  /** The claim's token. */
  readonly token: string;
  /** The generation that the attempt was for. */
  readonly generation: number;
  /** The attempt is over for this generation; false: it will be tried again. */
  readonly done: boolean;
  readonly status: SyncStatus;
  readonly error: SyncError | null;
  readonly records: readonly SyncRecord[];
  /** Failed attempts so far, this one counted; 0 after a success. */
  readonly attempts: number;
  /** Milliseconds until the next attempt; null: none. */
  readonly retryMs: number | null;
  readonly written: readonly WrittenObject[];
  /** Name keys of objects that are as before: nothing was sent for them, or nothing that changed them. */
  readonly kept: readonly string[];
  /** Name keys of objects that are no longer there. */
  readonly removed: readonly string[];
  /** Name keys of those that are no longer there and that a late write may bring back. */
  readonly buried: readonly string[];
  /** What is remembered of unconfirmed calls from now on; null: as before. */
  readonly remembered: Remembered | null;
  /** What a recheck that is over has found; null: it was none. */
  readonly rechecked: Rechecked | null;
}

/** `unchanged`: all was as we had left it. `mended`: something was not. `repeated`: pushed again without a look. */
export type Rechecked = 'unchanged' | 'mended' | 'repeated';

export interface WrittenObject {
  readonly name_key: string;
  readonly sub_key: string;
  readonly remote_version: string | null;
  /** As PostgreSQL reads bytes: `\\x` and hexadecimal digits. */
  readonly fingerprint: string;
  readonly tag_keys: readonly string[];
  /** Its row has this sub key and these tag keys already, and is no tombstone. */
  readonly noted: boolean;
}

/**
 * - `settled`: nothing newer has been asked for.
 * - `superseded`: a newer generation came meanwhile, so it goes on at once.
 * - `lost`: the claim had run out and another worker has it, or the association is no more. Nothing was written.
 */
export type Finished = 'settled' | 'superseded' | 'lost';
