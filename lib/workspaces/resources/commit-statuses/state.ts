import type { RunStatus } from '../run-lifecycle/status.ts';

/** The status of a commit. Each host has its own word for it. */
export type CommitState = 'pending' | 'success' | 'failure' | 'stopped';

const byRun: Partial<Record<RunStatus, CommitState>> = {
  applied: 'success',
  planned_and_finished: 'success',
  planned_and_saved: 'success',
  errored: 'failure',
  canceled: 'stopped',
  discarded: 'stopped',
};

/** The state of a commit by its run. Without a run its configuration version could not be made. */
export const stateOf = (run: RunStatus | null): CommitState => (run === null ? 'failure' : (byRun[run] ?? 'pending'));

export const descriptions: Readonly<Record<CommitState, string>> = {
  pending: 'The run has not ended',
  success: 'The run has finished',
  failure: 'The run has failed',
  stopped: 'The run was canceled or discarded',
};
