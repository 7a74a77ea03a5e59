import { badRequest } from '../../../core/errors.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { attemptMarks, type KeyRowParts } from './parts.ts';

/** What the API family has for keys that are not here: recovery keys, and new keys kept encrypted. */
export function absentKeyRows(parts: KeyRowParts): readonly Row[] {
  const marks = attemptMarks(parts);
  const row = (pattern: string): Row => ({
    pattern: `rekey-recovery-key/${pattern}`,
    help: 'Not supported: no seal of this service has recovery keys.',
    operations: {
      read: operation({}, { ...marks, summary: 'Refused.', run: noRecoveryKeys }),
      write: operation({}, { ...marks, summary: 'Refused.', anyFields: true, run: noRecoveryKeys }),
      delete: operation({}, { ...marks, summary: 'Refused.', run: noRecoveryKeys }),
    },
  });
  return [...['init', 'update', 'verify'].map(row), ...['rekey/backup', 'rekey/recovery-key-backup'].map(backupRow)];
}

const noRecoveryKeys = async (): Promise<Reply> => {
  throw badRequest('rekeying of recovery keys is not supported: no seal of this service has any');
};

const backupRow = (pattern: string): Row => ({
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
});
