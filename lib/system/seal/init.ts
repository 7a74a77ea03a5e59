import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { integer, text, textList } from '#path/fields.ts';
import type { Initialised, Seal } from '#store/seal/contract.ts';
import type { SealRowParts } from './parts.ts';

const fields = {
  secret_shares: integer()
    .nullish()
    .meta({ description: 'Number of shares of the unseal key, 1 to 255; not with the automatic seal' }),
  secret_threshold: integer().nullish().meta({ description: 'Number of shares needed to unseal' }),
  stored_shares: integer().nullish().meta({ description: 'Accepted from older clients and ignored' }),
  pgp_keys: textList().nullish().meta({ description: 'Not supported' }),
  root_token_pgp_key: text().nullish().meta({ description: 'Not supported' }),
  recovery_shares: integer()
    .nullish()
    .meta({ description: 'Number of shares of the recovery key, 1 to 255; only with the automatic seal' }),
  recovery_threshold: integer()
    .nullish()
    .meta({ description: 'Number of shares that `generate-root` and `rekey-recovery-key` need' }),
  recovery_pgp_keys: textList().nullish().meta({ description: 'Not supported' }),
};

/** `sys/init`: whether the service is initialized, and its initialization. The keys appear only in the reply to the write. */
export function initRow({ seal, mintRootToken }: SealRowParts): Row {
  return {
    pattern: 'init',
    help: 'Shows whether the service is initialised, and initialises it.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show whether the service is initialised',
          replies: { 200: 'own' },
          unauthenticated: true,
          whileSealed: true,
          run: async () => ({ body: { initialized: await isInitialised(seal) } }),
        },
      ),
      write: operation(fields, {
        summary: 'Create the keyring, the key shares and the root token',
        rootNamespaceOnly: true,
        replies: { 200: 'own' },
        unauthenticated: true,
        whileSealed: true,
        run: async (input) => {
          // Returning plaintext keys to a client that asked for encrypted ones would be a leak.
          const encrypting = (['pgp_keys', 'recovery_pgp_keys', 'root_token_pgp_key'] as const).filter(
            (name) => (input[name]?.length ?? 0) > 0,
          );
          if (encrypting.length > 0) {
            throw badField(
              encrypting,
              'encrypting the keys with pgp_keys or root_token_pgp_key is not supported: omit these fields',
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

/** The fields of a request that belong to the other type of seal. */
const foreign = {
  automatic: {
    names: ['secret_shares', 'secret_threshold'],
    why: 'which has recovery keys instead of key shares',
    instead: 'start without KEYFERRY_SEAL, KEYFERRY_SEAL_KEY and KEYFERRY_SEAL_KEY_FILE to unseal by shares',
  },
  shamir: {
    names: ['recovery_shares', 'recovery_threshold'],
    why: 'whose key shares serve as recovery keys',
    instead: 'start with KEYFERRY_SEAL, KEYFERRY_SEAL_KEY or KEYFERRY_SEAL_KEY_FILE for an automatic seal',
  },
} as const;

/** A client that asks for shares expects some. 0, which clients send for unset fields, asks for none. */
function mustApply(seal: Seal, given: Asked): void {
  const { state, type } = seal.status();
  if (state !== 'uninitialised') return;
  const { names, why, instead } = foreign[type === 'shamir' ? type : 'automatic'];
  const asked = names.filter((name) => given[name]);
  if (asked.length === 0) return;
  const omit = `omit ${names.join(' and ')}`;
  throw badField(asked, `${asked.join(', ')} not applicable to seal type ${type}, ${why}: ${omit}, or ${instead}`);
}

/** An operator cannot present the key of a key service, so without recovery keys nothing would authorize an administrator. */
function mustNotNeedRecovery(seal: Seal): void {
  const { state, type } = seal.status();
  if (state !== 'uninitialised' || type === 'shamir' || type === 'static') return;
  throw badField(
    ['recovery_shares', 'recovery_threshold'],
    `recovery_shares and recovery_threshold are required with seal type ${type}: the holders of recovery keys generate root tokens and change the seal`,
  );
}

/** Undefined when the request asks for none. */
function recoveryRule(given: {
  readonly recovery_shares?: number | null | undefined;
  readonly recovery_threshold?: number | null | undefined;
}) {
  const [shares, threshold] = [given.recovery_shares ?? 0, given.recovery_threshold ?? 0];
  return shares === 0 && threshold === 0 ? undefined : { shares, threshold };
}

async function isInitialised(seal: Seal): Promise<boolean> {
  // Another process may have initialized the store. Once known, that never changes and needs no database.
  if (seal.state() === 'uninitialised') await seal.refresh();
  return seal.state() !== 'uninitialised';
}

/** With the automatic seal, the shares belong to the recovery key. */
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
