import type { Vocabulary } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { sealTypeName } from '#path/vocabulary.ts';
import type { SealStatus } from '#store/seal/contract.ts';
import type { SealRowParts } from './parts.ts';
import { apiVersion, buildDate } from './version.ts';

/** `sys/seal-status`: answered from memory, so that it works during any failure. */
export function sealStatusRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'seal-status',
    help: 'Shows whether this process is sealed, and the progress of unsealing.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the state of the seal',
          replies: { 200: 'own' },
          unauthenticated: true,
          whileSealed: true,
          run: async (_input, { vocabulary }) => {
            // While the database is unavailable, the known state stays valid.
            if (seal.state() === 'uninitialised') await seal.refresh().catch(() => {});
            return { body: sealStatusBody(seal.status(), vocabulary) };
          },
        },
      ),
    },
  };
}

/** The reply to `sys/seal-status` and to each `sys/unseal`. */
export function sealStatusBody(status: SealStatus, vocabulary: Vocabulary): object {
  const known = status.state === 'uninitialised' ? {} : cluster(status);
  return {
    type: sealTypeName(status.type, vocabulary),
    initialized: status.state !== 'uninitialised',
    sealed: status.state !== 'ready',
    t: status.threshold,
    n: status.shares,
    progress: status.progress,
    nonce: status.nonce,
    version: apiVersion,
    build_date: buildDate,
    migration: status.migration,
    ...known,
    recovery_seal: status.type !== 'shamir',
    ...(status.type !== 'shamir' && status.state !== 'uninitialised' ? { recovery_seal_type: recoverySealType } : {}),
    storage_type: 'postgresql',
  };
}

/** The reply of the API family for every automatic seal: `n` and `t` describe its recovery keys, 0 when there are none. */
const recoverySealType = 'shamir';

const cluster = ({ clusterName, clusterId }: SealStatus) => ({ cluster_name: clusterName, cluster_id: clusterId });

/** `sys/leader`: every process answers every request, so there is no leader and no standby. */
export const leaderRow: Row = {
  pattern: 'leader',
  help: 'Shows the leading process. All processes are equal here.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the leader of the cluster',
        replies: { 200: 'own' },
        unauthenticated: true,
        whileSealed: true,
        run: async () => ({
          body: {
            ha_enabled: false,
            is_self: false,
            leader_address: '',
            leader_cluster_address: '',
            performance_standby: false,
            performance_standby_last_remote_wal: 0,
          },
        }),
      },
    ),
  },
};
