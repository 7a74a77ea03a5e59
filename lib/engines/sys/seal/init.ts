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
  recovery_shares: integer()
    .nullish()
    .meta({ description: 'Into how many shares the recovery key is split, 1 to 255; only with the automatic seal.' }),
  recovery_threshold: integer()
    .nullish()
    .meta({ description: 'How many of them `generate-root` and `rekey-recovery-key` need.' }),
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
          const recovery = recoveryRule(input);
          if (recovery === undefined) mustNotNeedRecovery(seal);
          return { body: initialised(await seal.init(rule, mintRootToken, recovery), seal) };
        },
      }),
    },
  };
}

type Asked = Readonly<
  Partial<Record<'secret_shares' | 'secret_threshold' | 'recovery_shares' | 'recovery_threshold', unknown>>
>;

/** What of a request is for the other type of seal. */
const foreign = {
  automatic: {
    names: ['secret_shares', 'secret_threshold'],
    why: 'which has recovery keys instead of key shares',
    instead: 'start without KEYFERRY_SEAL, KEYFERRY_SEAL_KEY and KEYFERRY_SEAL_KEY_FILE to unseal by shares',
  },
  shamir: {
    names: ['recovery_shares', 'recovery_threshold'],
    why: 'whose key shares do what recovery keys do',
    instead: 'start with KEYFERRY_SEAL, KEYFERRY_SEAL_KEY or KEYFERRY_SEAL_KEY_FILE for an automatic seal',
  },
} as const;

/** Whoever asks for shares would wait for some. 0, which clients send for what they do not set, asks for none. */
function mustApply(seal: Seal, given: Asked): void {
  const { state, type } = seal.status();
  if (state !== 'uninitialised') return;
  const { names, why, instead } = foreign[type === 'shamir' ? type : 'automatic'];
  const asked = names.filter((name) => given[name]);
  if (asked.length === 0) return;
  const leave = `leave out ${names.join(' and ')}`;
  throw badRequest(`${asked.join(', ')} not applicable to seal type ${type}, ${why}: ${leave}, or ${instead}`);
}

/** The key of a key service cannot be given, so without recovery keys nothing would prove the right to act as administrator. */
function mustNotNeedRecovery(seal: Seal): void {
  const { state, type } = seal.status();
  if (state !== 'uninitialised' || type === 'shamir' || type === 'static') return;
  throw badRequest(
    `recovery_shares and recovery_threshold are needed with seal type ${type}: their holders make root tokens and change the seal`,
  );
}

/** Undefined: none was asked for. */
function recoveryRule(given: {
  readonly recovery_shares?: number | null | undefined;
  readonly recovery_threshold?: number | null | undefined;
}) {
  const [shares, threshold] = [given.recovery_shares ?? 0, given.recovery_threshold ?? 0];
  return shares === 0 && threshold === 0 ? undefined : { shares, threshold };
}

async function isInitialised(seal: Seal): Promise<boolean> {
  // Another process may have done it. Once it is known it stays so, and needs no database.
  if (seal.state() === 'uninitialised') await seal.refresh();
  return seal.state() !== 'uninitialised';
}

/** With the automatic seal the shares are those of the recovery key. */
function initialised({ shares, recoveryShares, prepared }: Initialised<string>, seal: Seal): object {
  return {
    ...texts('keys', shares),
    ...(seal.status().type === 'shamir' ? {} : texts('recovery_keys', recoveryShares)),
    root_token: prepared,
  };
}

const texts = (name: string, shares: readonly Buffer[]): object => ({
  [name]: shares.map((share) => share.toString('hex')),
  [`${name}_base64`]: shares.map((share) => share.toString('base64')),
});
