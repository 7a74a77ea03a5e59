import { operation, type Row } from '../../../path/contract/row.ts';

/** `sys/leader`: every process answers every request, so there is no leader and nobody stands by. */
export const leaderRow: Row = {
  pattern: 'leader',
  help: 'Tells which process leads. All processes are equal here.',
  operations: {
    read: operation(
      {},
      {
        summary: 'The leader of a cluster with standby processes.',
        ownForm: true,
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
