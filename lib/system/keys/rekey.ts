import { badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, integer, textList } from '#path/fields.ts';
import type { RekeyGiven, RekeyStatus } from '#store/seal/attempts/contract.ts';
import { attemptMarks, givenFields, type KeyRowParts, mustBeBare, mustBeGiven, type Rekeyed } from './parts.ts';

const fields = {
  secret_shares: integer().nullish().meta({ description: 'Number of shares of the new key, 1 to 255' }),
  secret_threshold: integer().nullish().meta({ description: 'Number of shares needed to unseal' }),
  stored_shares: integer().nullish().meta({ description: 'Accepted from older clients and ignored' }),
  pgp_keys: textList().nullish().meta({ description: 'Not supported' }),
  backup: bool().nullish().meta({ description: 'Not supported, because it applies to keys encrypted with pgp_keys' }),
  require_verification: bool()
    .nullish()
    .meta({ description: 'Whether the new shares must be submitted to `verify` before they replace the old ones' }),
};

/** `sys/rekey/init` and `sys/rekey/update`, and the same below `rekey-recovery-key/`. */
export function rekeyRows(parts: KeyRowParts, { folder, rekey, keys }: Rekeyed): readonly Row[] {
  const help = `Replaces the ${keys} with new ones. Enough of the current ones must be provided at \`${folder}/update\`.`;
  const marks = attemptMarks(parts);
  return [
    {
      pattern: `${folder}/init`,
      help,
      operations: {
        read: operation(
          {},
          {
            ...marks,
            summary: 'Show the progress of the rekey',
            run: async () => ({ body: statusBody(await rekey.status()) }),
          },
        ),
        write: operation(fields, {
          ...marks,
          summary: 'Start a rekey',
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
            summary: 'Cancel the rekey',
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
      help: `Takes one of the current ${keys}. The reply to the last required one contains the new ones.`,
      operations: {
        write: operation(givenFields, {
          ...marks,
          summary: 'Provide one key share for the rekey',
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

/** The API family backs up new keys that were encrypted with pgp_keys, which this service does not support. */
export const backupRows: readonly Row[] = ['rekey/backup', 'rekey/recovery-key-backup'].map((pattern) => ({
  pattern,
  help: 'Has no effect: new key shares are never kept, so none can be read or removed.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the backup of key shares',
        async run() {
          throw badRequest('no backed-up keys found');
        },
      },
    ),
    delete: operation(
      {},
      { summary: 'Delete the backup of key shares, which has no effect', run: async () => undefined },
    ),
  },
}));
