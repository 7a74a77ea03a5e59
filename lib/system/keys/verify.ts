import { operation, type Row } from '#path/contract/row.ts';
import type { VerifyStatus } from '#store/seal/attempts/contract.ts';
import { attemptMarks, givenFields, type KeyRowParts, mustBeGiven, type Rekeyed } from './parts.ts';

/**
 * `sys/rekey/verify`, and the same below `rekey-recovery-key/`: the new shares take effect only after they were submitted here,
 * because shares lost on their way would lock out every operator.
 */
export function verifyRow(parts: KeyRowParts, { folder, rekey, keys }: Rekeyed): Row {
  const marks = attemptMarks(parts);
  return {
    pattern: `${folder}/verify`,
    help: `Takes the new ${keys} of a rekey with verification. Once enough are provided, they replace the old ones.`,
    operations: {
      read: operation(
        {},
        {
          ...marks,
          summary: 'Show the progress of the verification',
          run: async () => ({ body: body(await rekey.verification()) }),
        },
      ),
      write: operation(givenFields, {
        ...marks,
        summary: 'Provide one of the new key shares',
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
          summary: 'Discard the new shares provided so far and change the nonce',
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
