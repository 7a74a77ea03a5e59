import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { bool, text } from '../../../path/fields.ts';
import type { SealRowParts } from './parts.ts';
import { sealStatusBody } from './status.ts';

const fields = {
  key: text().nullish().meta({ description: 'One key share, as hex or base64.', sensitive: true }),
  reset: bool().nullish().meta({ description: 'Forgets the shares given so far.' }),
  migrate: bool().nullish().meta({
    description:
      'Changes the seal of the store to the configured one; with every share. The shares are those of the recovery key where the store has an automatic seal.',
  }),
};

/** `sys/unseal`: takes one share; the last one that is needed opens the barrier. */
export function unsealRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'unseal',
    help: 'Takes one key share. When enough are given, this process is unsealed; with `migrate`, the seal of the store is changed to the configured one.',
    operations: {
      write: operation(fields, {
        summary: 'Gives one key share, or starts again.',
        rootNamespaceOnly: true,
        ownForm: true,
        unauthenticated: true,
        whileSealed: true,
        run: async ({ key, reset, migrate }, { vocabulary }) => {
          if (reset === true) return { body: sealStatusBody(seal.resetUnseal(), vocabulary) };
          if (!key) throw badRequest("'key' must be specified in request body as JSON, or 'reset' set to true");
          return { body: sealStatusBody(await seal.unseal(key, migrate === true), vocabulary) };
        },
      }),
    },
  };
}
