import { sql } from 'kysely';
import type { FailureKind } from '#destinations/contract.ts';
import { bool } from '#store/sql/kinds.ts';
import { expressionOf } from '#store/sql/rows.ts';

/**
 * The states of an association and of each of its records (docs/architecture.md, rule 3.7).
 *
 * A change makes it PENDING. Its worker brings the destination in line and it becomes SYNCED, or UNSYNCED when nothing should
 * be there. After a temporary failure it stays PENDING, with the error shown, until the attempts are used up; a permanent
 * failure, or the failure of the last attempt, gives one of the three errors. A newer change that arrived meanwhile keeps it
 * PENDING whatever happened. Readers see UNKNOWN for a status that this version does not know.
 */
export type SyncStatus =
  | 'UNKNOWN'
  | 'PENDING'
  | 'SYNCED'
  | 'UNSYNCED'
  | 'CLIENT_SIDE_ERROR'
  | 'EXTERNAL_SERVICE_ERROR'
  | 'INTERNAL_ERROR';

export type ErrorStatus = Extract<SyncStatus, `${string}_ERROR`>;

export const errorStatuses: readonly ErrorStatus[] = ['CLIENT_SIDE_ERROR', 'EXTERNAL_SERVICE_ERROR', 'INTERNAL_ERROR'];

const statuses: ReadonlySet<string> = new Set<SyncStatus>(['PENDING', 'SYNCED', 'UNSYNCED', ...errorStatuses]);

/** A stored status; `UNKNOWN` when this version does not know it. */
export const toStatus = (stored: string): SyncStatus => (statuses.has(stored) ? (stored as SyncStatus) : 'UNKNOWN');

/** The result of an attempt. */
export interface AttemptResult {
  /** `unfinished`: it ran out of time with work left. `retry`: it failed and another attempt follows. */
  readonly outcome: 'clean' | 'unfinished' | 'retry' | ErrorStatus;
  /** How many objects are at the destination now. */
  readonly objects: number;
}

/** The status after an attempt. */
export function statusAfter({ outcome, objects }: AttemptResult): SyncStatus {
  if (outcome === 'retry' || outcome === 'unfinished') return 'PENDING';
  if (outcome !== 'clean') return outcome;
  return objects > 0 ? 'SYNCED' : 'UNSYNCED';
}

const external: ReadonlySet<FailureKind> = new Set<FailureKind>(['throttled', 'unavailable', 'timeout', 'network']);

/** The error status of a final failure. */
export function statusOf(kind: FailureKind): ErrorStatus {
  if (kind === 'internal') return 'INTERNAL_ERROR';
  return external.has(kind) ? 'EXTERNAL_SERVICE_ERROR' : 'CLIENT_SIDE_ERROR';
}

/** What to do after a failed attempt (docs/architecture.md, rule 3.8). */
export type Verdict =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'stop'; readonly status: ErrorStatus };

export interface RetryPolicy {
  /** Attempts in total, including the first. */
  readonly attemptsMax: number;
  readonly delayMsFirst: number;
  readonly delayMsMax: number;
}

export interface Failed {
  readonly kind: FailureKind;
  readonly retryAfterMs: number | undefined;
}

const passing: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'throttled',
  'unavailable',
  'timeout',
  'network',
  'internal',
]);

/**
 * Temporary failures are retried with growing delays: the delay doubles each time, its upper half is random, and it is never
 * shorter than the Retry-After of the remote. Permanent failures stop at once.
 * @param attempt counted from 1; this attempt has failed
 * @param random from 0 up to, not including, 1
 */
export function judge(failed: Failed, attempt: number, policy: RetryPolicy, random: number): Verdict {
  if (!passing.has(failed.kind) || attempt >= policy.attemptsMax)
    return { kind: 'stop', status: statusOf(failed.kind) };
  const full = Math.min(policy.delayMsMax, policy.delayMsFirst * 2 ** Math.min(attempt - 1, 30));
  const delayMs = full / 2 + (full / 2) * random;
  // A longer Retry-After would park the secret practically for good, so an hour is the most that is honored.
  const requestedMs = Math.min(failed.retryAfterMs ?? 0, 3_600_000);
  return { kind: 'retry', afterMs: Math.ceil(Math.max(delayMs, requestedMs)) };
}

const urgency: readonly FailureKind[] = ['throttled', 'timeout', 'network', 'unavailable', 'internal'];

/**
 * The failure that decides for an association with several failed objects: the most urgent temporary one if there is any, so
 * that the association is retried; otherwise the first.
 */
export function decidingFailure<F extends Failed>(failures: readonly F[]): F | undefined {
  const byUrgency = failures.filter((failure) => passing.has(failure.kind));
  byUrgency.sort((a, b) => urgency.indexOf(a.kind) - urgency.indexOf(b.kind));
  return byUrgency[0] ?? failures[0];
}

/**
 * The condition that an association is a *remnant*: it and its objects have been removed, and its row stays until the rechecks
 * are over, since a late write may bring an object back. Reads do not show it. An association that is being removed is PENDING
 * until its objects are gone, so `absent` with UNSYNCED occurs for remnants only.
 *
 * @param table name or alias of the associations in the statement
 */
export const isRemnant = (table = 'associations') =>
  expressionOf(bool)`(${sql.ref(`${table}.desired`)} = 'absent' and ${sql.ref(`${table}.status`)} = 'UNSYNCED')`;
