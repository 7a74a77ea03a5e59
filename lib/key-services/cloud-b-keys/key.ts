import { ConfigError } from '../../core/config.ts';

/** A key as the vault names it: `https://<vault>/keys/<name>`, with a version that is to stay, or without. */
export interface VaultKey {
  readonly vault: string;
  readonly name: string;
  /** Empty: the newest one wraps. */
  readonly version: string;
  /** What a token for this vault is asked for: the clouds have domains of their own. */
  readonly scope: string;
}

const form =
  /^(https:\/\/[a-z0-9-]+\.((?:vault|managedhsm)\.[a-z0-9.-]+))\/keys\/([A-Za-z0-9-]{1,127})(?:\/([0-9a-fA-F]{32}))?\/?$/;

/** @throws ConfigError */
export function readKey(keyId: string): VaultKey {
  const [, vault, domain, name, version = ''] = form.exec(keyId) ?? [];
  if (vault !== undefined && domain !== undefined && name !== undefined) {
    return { vault, name, version, scope: `https://${domain}/.default` };
  }
  throw new ConfigError('KEYFERRY_SEAL_KEY_ID has to be of the form https://<vault>.vault.azure.net/keys/<name>');
}
