import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, integer, textList } from '../../../path/fields.ts';
import type { RekeyGiven, RekeyStatus } from '../../../store/seal/attempts/contract.ts';
import { givenFields, mustBeBare, mustBeGiven } from './fields.ts';
import { attemptMarks, type KeyRowParts, type Rekeyed } from './parts.ts';

const fields = {
  secret_shares: integer().nullish().meta({ description: 'Into how many shares the new key is split, 1 to 255.' }),
  secret_threshold: integer().nullish().meta({ description: 'How many of them are needed.' }),
  stored_shares: integer().nullish().meta({ description: 'Accepted for older clients; ignored.' }),
  pgp_keys: textList().nullish().meta({ description: 'Not supported.' }),
  backup: bool().nullish().meta({ description: 'Not supported: it is for keys encrypted with pgp_keys.' }),
  require_verification: bool()
    .nullish()
    .meta({ description: 'The new shares have to be given back at `verify` before they replace the old ones.' }),
};

/** `sys/rekey/init` and `sys/rekey/update`, and the same below `rekey-recovery-key/`. */
export function rekeyRows(parts: KeyRowParts, { folder, rekey, keys }: Rekeyed): readonly Row[] {
  const help = `Replaces the ${keys} by new ones. Enough of the present ones have to be given at \`${folder}/update\`.`;
  const marks = attemptMarks(parts);
  return [
    {
      pattern: `${folder}/init`,
      help,
      operations: {
        read: operation(
          {},
          { ...marks, summary: 'How far it has come.', run: async () => ({ body: statusBody(await rekey.status()) }) },
        ),
        write: operation(fields, {
          ...marks,
          summary: 'Begins.',
          async run(input) {
            mustBeBare('pgp_keys', (input.pgp_keys?.length ?? 0) > 0);
            mustBeBare('backup', input.backup === true);
            const rule = { shares: input.secret_shares ?? 0, threshold: input.secret_threshold ?? 0 };
            return { body: statusBody(await rekey.begin(rule, input.require_verification === true)) };
          },
        }),
        delete: operation(
          {},
          {
            ...marks,
            summary: 'Ends it without a change.',
            async run() {
              await rekey.cancel();
              return undefined;
            },
          },
        ),
      },
    },
    {
      pattern: `${folder}/update`,
      help: `Takes one of the present ${keys}. The last one that is needed brings the new ones.`,
      operations: {
        write: operation(givenFields, {
          ...marks,
          summary: 'Gives one key share.',
          async run(input) {
            const { key, nonce } = mustBeGiven(input);
            return { body: givenBody(await rekey.give(key, nonce), nonce) };
          },
        }),
      },
    },
  ];
}

const statusBody = (status: RekeyStatus): object => ({
  started: status.nonce !== undefined,
  nonce: status.nonce ?? '',
  t: status.rule.threshold,
  n: status.rule.shares,
  progress: status.progress,
  required: status.required,
  pgp_fingerprints: null,
  backup: false,
  verification_required: status.verification,
  ...(status.verificationNonce === undefined ? {} : { verification_nonce: status.verificationNonce }),
});

function givenBody(given: RekeyGiven, nonce: string): object {
  const { shares } = given;
  if (shares === undefined) return statusBody(given);
  return {
    nonce,
    complete: true,
    keys: shares.map((share) => share.toString('hex')),
    keys_base64: shares.map((share) => share.toString('base64')),
    pgp_fingerprints: null,
    backup: false,
    verification_required: given.verification,
    ...(given.verificationNonce === undefined ? {} : { verification_nonce: given.verificationNonce }),
  };
}
