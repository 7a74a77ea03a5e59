import { badRequest } from '../../../core/errors.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { integer, text, textList } from '../../../path/fields.ts';
import type { Initialised, Seal } from '../../../store/seal/contract.ts';
import type { SealRowParts } from './parts.ts';

const fields = {
  secret_shares: integer()
    .nullish()
    .meta({ description: 'Into how many shares the unseal key is split, 1 to 255; not with the automatic seal.' }),
  secret_threshold: integer().nullish().meta({ description: 'How many of the shares unseal the service.' }),
  stored_shares: integer().nullish().meta({ description: 'Accepted for older clients; ignored.' }),
  pgp_keys: textList().nullish().meta({ description: 'Not supported.' }),
  root_token_pgp_key: text().nullish().meta({ description: 'Not supported.' }),
  recovery_shares: integer().nullish().meta({ description: 'Accepted; the automatic seal has no recovery keys.' }),
  recovery_threshold: integer().nullish().meta({ description: 'Accepted; the automatic seal has no recovery keys.' }),
  recovery_pgp_keys: textList().nullish().meta({ description: 'Not supported.' }),
};

/** `sys/init`: whether there is a keyring, and making it. The reply of the write is the only one that shows the keys. */
export function initRow({ seal, mintRootToken }: SealRowParts): Row {
  return {
    pattern: 'init',
    help: 'Tells whether the service is initialised, and initialises it.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Whether the service is initialised.',
          ownForm: true,
          unauthenticated: true,
          whileSealed: true,
          run: async () => ({ body: { initialized: await isInitialised(seal) } }),
        },
      ),
      write: operation(fields, {
        summary: 'Makes the keyring, the key shares and the root token.',
        rootNamespaceOnly: true,
        ownForm: true,
        unauthenticated: true,
        whileSealed: true,
        run: async (input) => {
          // Handing the keys out bare when somebody asked for encrypted ones would be a leak.
          if ((input.pgp_keys?.length ?? 0) + (input.recovery_pgp_keys?.length ?? 0) > 0 || input.root_token_pgp_key) {
            throw badRequest(
              'encrypting the keys with pgp_keys or root_token_pgp_key is not supported: leave them out',
            );
          }
          mustApply(seal, input);
          const rule = { shares: input.secret_shares ?? 0, threshold: input.secret_threshold ?? 0 };
          return { body: initialised(await seal.init(rule, mintRootToken)) };
        },
      }),
    },
  };
}

/** Whoever asks for key shares would wait for some. 0, which clients send for what they do not set, asks for none. */
function mustApply(seal: Seal, given: Readonly<Partial<Record<'secret_shares' | 'secret_threshold', unknown>>>): void {
  const { state, type } = seal.status();
  if (state !== 'uninitialised' || type !== 'static') return;
  const names = (['secret_shares', 'secret_threshold'] as const).filter((name) => given[name]);
  if (names.length === 0) return;
  const why = `${names.join(', ')} not applicable to seal type static, which has no key shares`;
  const instead = 'start without KEYFERRY_SEAL_KEY and KEYFERRY_SEAL_KEY_FILE to unseal by shares';
  throw badRequest(`${why}: leave out secret_shares and secret_threshold, or ${instead}`);
}

async function isInitialised(seal: Seal): Promise<boolean> {
  // Another process may have done it. Once it is known it stays so, and needs no database.
  if (seal.state() === 'uninitialised') await seal.refresh();
  return seal.state() !== 'uninitialised';
}

/** The automatic seal has no shares; it answers empty lists, `recovery_keys` among them. */
function initialised({ shares, prepared }: Initialised<string>): object {
  return {
    keys: shares.map((share) => share.toString('hex')),
    keys_base64: shares.map((share) => share.toString('base64')),
    ...(shares.length === 0 ? { recovery_keys: [], recovery_keys_base64: [] } : {}),
    root_token: prepared,
  };
}
