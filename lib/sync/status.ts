import type { FailureKind } from '../destinations/contract.ts';

/**
 * The states of an association and of each of its records (docs/architecture.md, rule 3.7).
 *
 * A change makes it PENDING. Its worker brings the external system in line and it becomes SYNCED, or UNSYNCED when
 * nothing is to be there. A failure that can pass leaves it PENDING, with the error shown, until the attempts are used up;
 * a failure that cannot pass, or the last attempt, makes it one of the three errors. A newer change that came meanwhile
 * keeps it PENDING whatever happened. UNKNOWN is what a reader sees of a state that this version does not know.
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

/** A stored status, read by a version that may not know it. */
export const toStatus = (stored: string): SyncStatus => (statuses.has(stored) ? (stored as SyncStatus) : 'UNKNOWN');

/** What an attempt left behind. */
export interface AttemptResult {
  /** `unfinished`: it ran out of time with work left. `retry`: it failed and will be tried again. */
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

/** The error status of a failure that is final. */
export function statusOf(kind: FailureKind): ErrorStatus {
  if (kind === 'internal') return 'INTERNAL_ERROR';
  return external.has(kind) ? 'EXTERNAL_SERVICE_ERROR' : 'CLIENT_SIDE_ERROR';
}

/** What to do after a failed attempt (docs/architecture.md, rule 3.8). */
export type Verdict =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'stop'; readonly status: ErrorStatus };

export interface RetryPolicy {
  /** Attempts in all, the first one counted. */
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
 * Failures that can pass are tried again, later each time: the delay doubles, the upper half of it is random, and a
 * Retry-After of the remote is the least. The others stop at once.
 * @param attempt counted from 1; this attempt has failed
 * @param random from 0 up to, not including, 1
 */
export function judge(failed: Failed, attempt: number, policy: RetryPolicy, random: number): Verdict {
  if (!passing.has(failed.kind) || attempt >= policy.attemptsMax)
    return { kind: 'stop', status: statusOf(failed.kind) };
  const full = Math.min(policy.delayMsMax, policy.delayMsFirst * 2 ** Math.min(attempt - 1, 30));
  const delayMs = full / 2 + (full / 2) * random;
  // A remote that asks for more than an hour would park the secret for good: it is asked again after that.
  const asked = Math.min(failed.retryAfterMs ?? 0, 3_600_000);
  return { kind: 'retry', afterMs: Math.ceil(Math.max(delayMs, asked)) };
}

const gravity: readonly FailureKind[] = ['throttled', 'timeout', 'network', 'unavailable', 'internal'];

/**
 * Of several failed objects, the one that speaks for the association: while one of them can still pass, the association
 * is tried again; otherwise the first speaks.
 */
export function worst<F extends Failed>(failures: readonly F[]): F | undefined {
  const byGravity = failures.filter((failure) => passing.has(failure.kind));
  byGravity.sort((a, b) => gravity.indexOf(a.kind) - gravity.indexOf(b.kind));
  return byGravity[0] ?? failures[0];
}
