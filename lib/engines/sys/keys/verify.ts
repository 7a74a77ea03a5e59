import { operation, type Row } from '../../../path/contract/row.ts';
import type { VerifyStatus } from '../../../store/seal/attempts/contract.ts';
import { givenFields, mustBeGiven } from './fields.ts';
import { attemptMarks, type KeyRowParts, type Rekeyed } from './parts.ts';

/**
 * `sys/rekey/verify`, and the same below `rekey-recovery-key/`: the new shares are given back before they count, since shares that
 * were lost on their way would lock everyone out.
 */
export function verifyRow(parts: KeyRowParts, { folder, rekey, keys }: Rekeyed): Row {
  const marks = attemptMarks(parts);
  return {
    pattern: `${folder}/verify`,
    help: `Takes the new ${keys} of a rekey that asked for verification. With enough of them they replace the old ones.`,
    operations: {
      read: operation(
        {},
        { ...marks, summary: 'How far it has come.', run: async () => ({ body: body(await rekey.verification()) }) },
      ),
      write: operation(givenFields, {
        ...marks,
        summary: 'Gives one of the new key shares.',
        async run(input) {
          const { key, nonce } = mustBeGiven(input);
          const { complete, ...status } = await rekey.verify(key, nonce);
          return { body: complete ? { nonce, complete } : body(status) };
        },
      }),
      delete: operation(
        {},
        {
          ...marks,
          summary: 'Forgets the new shares given so far; the nonce is another one then.',
          run: async () => ({ body: body(await rekey.restartVerification()) }),
        },
      ),
    },
  };
}

const body = ({ nonce, rule, progress }: VerifyStatus): object => ({
  started: true,
  nonce,
  t: rule.threshold,
  n: rule.shares,
  progress,
});
