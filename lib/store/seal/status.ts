import type { SealState, SealStatus } from './contract.ts';
import type { SealRecord, SealType } from './record.ts';
import type { UnsealProgress } from './shares/progress.ts';
import type { ShareRule } from './shares/shares.ts';

export interface StatusInput {
  readonly state: SealState;
  readonly record: SealRecord | undefined;
  /** The seal type that a new store would get. */
  readonly configured: SealType;
  readonly progress: UnsealProgress;
  readonly migration: boolean;
}

export const statusOf = ({ state, record, configured, progress, migration }: StatusInput): SealStatus => ({
  state,
  type: record?.type ?? configured,
  ...sharesOf(record),
  progress: progress.shares.length,
  nonce: progress.nonce,
  migration,
  clusterId: record?.cluster_id ?? '',
  clusterName: record?.cluster_name ?? '',
});

/** The shares of the key that operators hold: with an automatic seal, the recovery key. */
function sharesOf(record: SealRecord | undefined): ShareRule {
  if (record === undefined) return { shares: 0, threshold: 0 };
  if (record.type === 'shamir') return { shares: record.shares, threshold: record.threshold };
  return { shares: record.recovery_shares, threshold: record.recovery_threshold };
}
