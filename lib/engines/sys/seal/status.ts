import type { Vocabulary } from '../../../path/contract/request.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { sealTypeName } from '../../../path/vocabulary.ts';
import type { SealStatus } from '../../../store/seal/contract.ts';
import type { SealRowParts } from './parts.ts';
import { apiVersion, buildDate } from './version.ts';

/** `sys/seal-status`: from memory, so it answers whatever has failed. */
export function sealStatusRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'seal-status',
    help: 'Tells whether this process is sealed, and how far unsealing has come.',
    operations: {
      read: operation(
        {},
        {
          summary: 'The state of the seal.',
          ownForm: true,
          unauthenticated: true,
          whileSealed: true,
          run: async (_input, { vocabulary }) => {
            // A database that is away changes nothing of what is known.
            if (seal.state() === 'uninitialised') await seal.refresh().catch(() => {});
            return { body: sealStatusBody(seal.status(), vocabulary) };
          },
        },
      ),
    },
  };
}

/** The reply of `sys/seal-status` and of each `sys/unseal`. */
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

/** What the API family says of every automatic seal: `n` and `t` are of its recovery keys, 0 where there are none. */
const recoverySealType = 'shamir';

const cluster = ({ clusterName, clusterId }: SealStatus) => ({ cluster_name: clusterName, cluster_id: clusterId });
