import { DefaultAzureCredential } from '@azure/identity';
import { z } from 'zod';
import { ConfigError } from '#core/config.ts';
import { AppError } from '#core/errors.ts';
import { CipherError } from '#store/encryption/cipher.ts';
import { inTime, post } from '../call.ts';
import type { BearerToken, KeyService, KeyServiceSettings } from '../contract.ts';
import { incomplete, type Reason, reasonByStatus, refusal } from '../refusal.ts';

const type = 'cloud-b-keys';
const apiVersion = '7.4';
const algorithm = 'RSA-OAEP-256';

const answered = z.object({ kid: z.url().max(2_048), value: z.base64url().min(1) });
const failed = z.object({
  error: z.object({ code: z.string(), innererror: z.object({ code: z.string() }).partial().nullish() }),
});

/**
 * An RSA key of a vault or of a managed HSM. Each version is a separate key: the version that wrapped the root key is stored, and
 * requested only from the configured vault and name, whatever the database contains.
 */
export function openKeyService(settings: KeyServiceSettings, token?: BearerToken): KeyService {
  const { keyId, endpoint } = settings;
  const key = readKey(keyId);
  const bearer = token ?? defaultToken(key.scope);

  async function ask(verb: 'wrapkey' | 'unwrapkey', version: string, value: Uint8Array, signal: AbortSignal) {
    const path = `/keys/${key.name}/${version === '' ? '' : `${version}/`}${verb}?api-version=${apiVersion}`;
    const url = new URL(path, endpoint ?? key.vault);
    const { status, body } = await inTime(type, signal, async (deadline) => {
      const headers = { authorization: `Bearer ${await bearer(deadline)}`, 'content-type': 'application/json' };
      const asked = { alg: algorithm, value: Buffer.from(value).toString('base64url') };
      return post({ type, url, headers, body: JSON.stringify(asked) }, deadline);
    });
    if (status !== 200) throw refused(verb, status, body);
    const answer = answered.safeParse(body);
    if (!answer.success) throw incomplete(type, verb === 'wrapkey' ? 'a wrapped key' : 'a key');
    return { bytes: Buffer.from(answer.data.value, 'base64url'), keyId: answer.data.kid };
  }

  function refused(verb: 'wrapkey' | 'unwrapkey', status: number, body: unknown): Error {
    const error = failed.safeParse(body).data?.error;
    const code = error?.innererror?.code ?? error?.code;
    if (verb === 'unwrapkey' && status === 400 && code === 'BadParameter') {
      return new CipherError(`the root key was not wrapped by the key ${keyId} (${code})`);
    }
    const permission = verb === 'wrapkey' ? 'keys/wrapKey' : 'keys/unwrapKey';
    const reason = reasons.get(code ?? '') ?? reasonByStatus(status);
    return refusal(reason, { type, keyId, permission, status, code });
  }

  /** A configured endpoint may serve a vault of any name. */
  function versionOf(used: string): string {
    const [, vault = '', name, version] = /^(https:\/\/[^/]+)\/keys\/([^/]+)\/([0-9a-fA-F]{32})$/.exec(used) ?? [];
    const isOurs = name === key.name && (endpoint !== undefined || vault.toLowerCase() === key.vault);
    if (isOurs && version !== undefined) return version;
    throw new CipherError(`the root key was not wrapped by the key ${keyId}`);
  }

  return {
    type,
    keyId,
    wrap: (bytes, _context, signal) => ask('wrapkey', key.version, bytes, signal),
    async unwrap({ bytes, keyId: used }, _context, signal) {
      const version = versionOf(used);
      return (await ask('unwrapkey', version, bytes, signal)).bytes;
    },
  };
}

const reasons: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['KeyDisabled', 'disabled'],
  ['KeyNotYetValid', 'disabled'],
  ['KeyExpired', 'disabled'],
  ['ForbiddenByPolicy', 'denied'],
  ['ForbiddenByRbac', 'denied'],
  ['AccessDenied', 'denied'],
  ['KeyNotFound', 'missing'],
  ['KeyOperationForbidden', 'unfit'],
]);

/** A key identifier of the vault: `https://<vault>/keys/<name>`, optionally with a fixed version. */
interface VaultKey {
  readonly vault: string;
  readonly name: string;
  /** Empty when the newest version wraps. */
  readonly version: string;
  /** The OAuth scope of this vault; each cloud has its own domain. */
  readonly scope: string;
}

const form =
  /^(https:\/\/[a-z0-9-]+\.((?:vault|managedhsm)\.[a-z0-9.-]+))\/keys\/([A-Za-z0-9-]{1,127})(?:\/([0-9a-fA-F]{32}))?\/?$/;

/** @throws ConfigError */
function readKey(keyId: string): VaultKey {
  const [, vault, domain, name, version = ''] = form.exec(keyId) ?? [];
  if (vault !== undefined && domain !== undefined && name !== undefined) {
    return { vault, name, version, scope: `https://${domain}/.default` };
  }
  throw new ConfigError('KEYFERRY_SEAL_KEY_ID must have the form https://<vault>.vault.azure.net/keys/<name>');
}

/** Tokens from the provider's own chain: environment, workload identity, managed identity. The chain caches a token until shortly before it expires. */
function defaultToken(scope: string): BearerToken {
  const credential = new DefaultAzureCredential({ retryOptions: { maxRetries: 1 } });
  return async (signal) => {
    try {
      return (await credential.getToken(scope, { abortSignal: signal })).token;
    } catch (cause) {
      const text =
        'cloud-b-keys: this process has no credentials: give it a managed identity, a workload identity, or credentials in its environment';
      throw new AppError('unavailable', text, { cause });
    }
  };
}
