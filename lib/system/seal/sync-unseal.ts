import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { type Loan, publicKeyCharactersMax } from '#store/seal/keys/loan.ts';
import type { SealRowParts } from './parts.ts';

const fields = {
  public_key: text(publicKeyCharactersMax).meta({
    description: 'An RSA public key of 3072 bits, in PEM, made for this request; it encrypts the root key',
  }),
};

/**
 * `sys/sync/unseal`: lends the keyring to workers and the sweep of an installation with key shares. A caller with access to the
 * database can then read everything, so it needs sudo, which a policy rule with a wildcard does not grant by accident.
 */
export function syncUnsealRow({ seal, lent }: SealRowParts): Row {
  return {
    pattern: 'sync/unseal',
    help: 'Lends the root key to a worker or the sweep of an installation that is unsealed with key shares. The key is wrapped for the borrower only. A caller with access to this path and to the database can read everything.',
    operations: {
      write: operation(fields, {
        summary: 'Lend the root key to a process of the sync',
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
