import type { SyncError, SyncRecord } from '../store/tables.ts';
import type { SyncStatus } from './status.ts';

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
  /** Name keys of objects that are no longer there. */
  readonly removed: readonly string[];
}

export interface WrittenObject {
  readonly name_key: string;
  readonly sub_key: string;
  readonly remote_version: string | null;
  /** As PostgreSQL reads bytes: `\\x` and hexadecimal digits. */
  readonly fingerprint: string;
  readonly tag_keys: readonly string[];
}

/**
 * - `settled`: nothing newer has been asked for.
 * - `superseded`: a newer generation came meanwhile, so it goes on at once.
 * - `lost`: the claim had run out and another worker has it, or the association is no more. Nothing was written.
 */
export type Finished = 'settled' | 'superseded' | 'lost';
