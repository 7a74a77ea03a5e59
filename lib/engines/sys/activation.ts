import { operation, type Row } from '../../path/contract/row.ts';

/**
 * `sys/activation-flags`: other servers of the API family want the sync to be switched on once, and scripts for them begin
 * with it. Here it is always on.
 */
export const activationRows: readonly Row[] = [
  {
    pattern: 'activation-flags',
    help: 'Tells which features have been activated. The sync of secrets is always active.',
    operations: {
      read: operation({}, { summary: 'The features that are active.', run: async () => ({ data: flags }) }),
    },
  },
  {
    pattern: 'activation-flags/secrets-sync/activate',
    help: 'Does nothing: the sync of secrets is always active.',
    operations: {
      write: operation({}, { summary: 'Activate the sync of secrets.', run: async () => ({ data: flags }) }),
    },
  },
];

const flags = { activated: ['secrets-sync'], unactivated: [] };
