import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, text } from '#path/fields.ts';
import type { SealRowParts } from './parts.ts';
import { sealStatusBody } from './status.ts';

/** `sys/seal`: all processes of the installation discard their keys. A sealed process cannot check a token. */
export function sealRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'seal',
    help: 'Seals the installation: within a second every process overwrites its keys, and refuses requests until it is unsealed. With the automatic seal, a process unseals itself when it is restarted.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Seal every process of the installation',
          knownFieldsOnly: true,
          rootNamespaceOnly: true,
          sudo: true,
          whileSealed: true,
          run: async () => {
            if (seal.state() === 'ready') await seal.sealEverywhere();
            return undefined;
          },
        },
      ),
    },
  };
}

const fields = {
  key: text().nullish().meta({ description: 'One key share, as hex or base64', sensitive: true }),
  reset: bool().nullish().meta({ description: 'Whether to discard the shares submitted so far' }),
  migrate: bool().nullish().meta({
    description:
      'Whether to change the seal of the store to the configured one; send it with every share. A store with an automatic seal needs the shares of its recovery key',
  }),
};

/** `sys/unseal`: accepts one share; the last one needed opens the barrier. */
export function unsealRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'unseal',
    help: 'Takes one key share. Enough shares unseal this process; with `migrate`, they change the seal of the store to the configured one.',
    operations: {
      write: operation(fields, {
        summary: 'Provide one key share, or start over',
        rootNamespaceOnly: true,
        replies: { 200: 'own' },
        unauthenticated: true,
        whileSealed: true,
        run: async ({ key, reset, migrate }, { vocabulary }) => {
          if (reset === true) return { body: sealStatusBody(seal.resetUnseal(), vocabulary) };
          if (!key)
            throw badField(['key', 'reset'], "'key' must be specified in request body as JSON, or 'reset' set to true");
          return { body: sealStatusBody(await seal.unseal(key, migrate === true), vocabulary) };
        },
      }),
    },
  };
}
