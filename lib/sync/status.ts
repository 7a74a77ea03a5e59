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
