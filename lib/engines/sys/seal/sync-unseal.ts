import { operation, type Row } from '../../../path/contract/row.ts';
import { text } from '../../../path/fields.ts';
import { type Loan, publicKeyCharactersMax } from '../../../store/seal/keys/loan.ts';
import type { SealRowParts } from './parts.ts';

const fields = {
  public_key: text(publicKeyCharactersMax).meta({
    description: 'An RSA public key of 3072 bits, in PEM, made for this request; the root key is wrapped to it.',
  }),
};

/**
 * `sys/sync/unseal`: how workers and the sweep of an installation with key shares get at the keyring. Whoever may call it and has the
 * database can read everything, so a rule with a wildcard does not grant it by the way: it needs sudo.
 */
export function syncUnsealRow({ seal, lent }: SealRowParts): Row {
  return {
    pattern: 'sync/unseal',
    help: 'Lends the root key to a worker or the sweep of an installation that is unsealed by key shares, wrapped to a key of its own. Whoever may call this and can read the database can read everything.',
    operations: {
      write: operation(fields, {
        summary: 'Lends the root key to a process of the sync.',
        knownFieldsOnly: true,
        rootNamespaceOnly: true,
        sudo: true,
        async run({ public_key: publicKey }) {
          const loan = await seal.lend(publicKey).catch((error: unknown) => {
            lent('refused');
            throw error;
          });
          lent('lent');
          return { data: shown(loan) };
        },
      }),
    },
  };
}

const shown = ({ wrapped, clusterId, seals }: Loan): object => ({
  wrapped_root_key: wrapped.toString('base64'),
  cluster_id: clusterId,
  seals,
});
