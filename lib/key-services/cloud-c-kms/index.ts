import { GoogleAuth } from 'google-auth-library';
import { z } from 'zod';
import { ConfigError } from '#core/config.ts';
import { crc32c } from '#core/digest/crc32c.ts';
import { AppError } from '#core/errors.ts';
import { CipherError } from '#store/encryption/cipher.ts';
import { inTime, post } from '../call.ts';
import type { BearerToken, KeyService, KeyServiceSettings } from '../contract.ts';
import { incomplete, type Reason, reasonByStatus, refusal } from '../refusal.ts';

const type = 'cloud-c-kms';
const usualEndpoint = 'https://cloudkms.googleapis.com';
const keyName = /^projects\/[^/\s]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/;

/** The service sends 64-bit numbers as strings. */
const checksum = z.union([z.string(), z.number()]).transform(Number);
const encrypted = z.object({
  name: z.string().max(2_048),
  ciphertext: z.base64().min(1),
  ciphertextCrc32c: checksum,
  verifiedPlaintextCrc32c: z.boolean().default(false),
  verifiedAdditionalAuthenticatedDataCrc32c: z.boolean().default(false),
});
const decrypted = z.object({ plaintext: z.base64().min(1), plaintextCrc32c: checksum });
const failed = z.object({ error: z.object({ status: z.string(), message: z.string().default('') }) });

/** The service determines the version that encrypted. Checksums protect both directions, as the service recommends. */
export function openKeyService(settings: KeyServiceSettings, token: BearerToken = defaultToken()): KeyService {
  const { keyId, endpoint = usualEndpoint } = settings;
  if (!keyName.test(keyId)) {
    throw new ConfigError(
      'KEYFERRY_SEAL_KEY_ID must have the form projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>',
    );
  }

  async function ask(verb: 'encrypt' | 'decrypt', fields: object, signal: AbortSignal): Promise<unknown> {
    const url = new URL(`/v1/${keyId}:${verb}`, endpoint);
    const { status, body } = await inTime(type, signal, async (deadline) => {
      const headers = { authorization: `Bearer ${await token(deadline)}`, 'content-type': 'application/json' };
      return post({ type, url, headers, body: JSON.stringify(fields) }, deadline);
    });
    if (status === 200) return body;
    const error = failed.safeParse(body).data?.error;
    if (verb === 'decrypt' && error?.status === 'INVALID_ARGUMENT' && /decryption failed/i.test(error.message)) {
      throw new CipherError(`the root key was not wrapped by the key ${keyId} (${error.status})`);
    }
    const permission = `cloudkms.cryptoKeyVersions.useTo${verb === 'encrypt' ? 'Encrypt' : 'Decrypt'}`;
    const reason = reasons.get(error?.status ?? '') ?? reasonByStatus(status);
    throw refusal(reason, { type, keyId, permission, status, code: error?.status });
  }

  return {
    type,
    keyId,
    async wrap(key, context, signal) {
      const fields = { plaintext: base64(key), plaintextCrc32c: String(crc32c(key)), ...authenticated(context) };
      const answer = encrypted.safeParse(await ask('encrypt', fields, signal));
      if (!answer.success) throw incomplete(type, 'a ciphertext and its checksum');
      const { ciphertext, ciphertextCrc32c, name, ...verified } = answer.data;
      const bytes = Buffer.from(ciphertext, 'base64');
      if (Object.values(verified).includes(false) || crc32c(bytes) !== ciphertextCrc32c) throw altered();
      return { bytes, keyId: name };
    },
    async unwrap({ bytes }, context, signal) {
      const fields = { ciphertext: base64(bytes), ciphertextCrc32c: String(crc32c(bytes)), ...authenticated(context) };
      const answer = decrypted.safeParse(await ask('decrypt', fields, signal));
      if (!answer.success) throw incomplete(type, 'a plaintext and its checksum');
      const key = Buffer.from(answer.data.plaintext, 'base64');
      if (crc32c(key) === answer.data.plaintextCrc32c) return key;
      key.fill(0);
      throw altered();
    },
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function authenticated(context: string) {
  const bytes = Buffer.from(context);
  return {
    additionalAuthenticatedData: base64(bytes),
    additionalAuthenticatedDataCrc32c: String(crc32c(bytes)),
  };
}

const altered = (): AppError =>
  new AppError(
    'unavailable',
    `${type}: checksums show that a request or its answer was altered in transit; the call will be retried`,
  );

const reasons: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['PERMISSION_DENIED', 'denied'],
  ['UNAUTHENTICATED', 'credentials'],
  ['FAILED_PRECONDITION', 'disabled'],
  ['NOT_FOUND', 'missing'],
  ['RESOURCE_EXHAUSTED', 'busy'],
  ['UNAVAILABLE', 'busy'],
  ['INTERNAL', 'busy'],
]);

/** Tokens from the provider's own chain: a file named by the environment, workload identity, the metadata server. */
function defaultToken(): BearerToken {
  const auth = new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloudkms' });
  return async () => {
    const token = await auth.getAccessToken().catch((cause: unknown) => {
      throw noCredentials({ cause });
    });
    if (token) return token;
    throw noCredentials();
  };
}

const noCredentials = (options?: ErrorOptions): AppError =>
  new AppError(
    'unavailable',
    'cloud-c-kms: this process has no credentials: give it a service account, or name a file in GOOGLE_APPLICATION_CREDENTIALS',
    options,
  );
