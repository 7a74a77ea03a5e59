import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';

/** The API family keeps new keys that it has encrypted with pgp_keys. */
export const backupRows: readonly Row[] = ['rekey/backup', 'rekey/recovery-key-backup'].map((pattern) => ({
  pattern,
  help: 'New key shares are never kept, so there are none to read or to remove.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Answers that none are kept.',
        async run() {
          throw badRequest('no backed-up keys found');
        },
      },
    ),
    delete: operation({}, { summary: 'Does nothing.', run: async () => undefined }),
  },
}));
