import { z } from 'zod';
import { ConfigError } from '../../core/config.ts';
import { crc32c } from '../../core/crc32c.ts';
import { AppError } from '../../core/errors.ts';
import { CipherError } from '../../store/encryption/cipher.ts';
import { inTime, post } from '../call.ts';
import type { BearerToken, KeyService, KeyServiceSettings } from '../contract.ts';
import { incomplete, type Reason, reasonByStatus, refusal } from '../refusal.ts';
import { defaultToken } from './token.ts';

const type = 'cloud-c-kms';
const usualEndpoint = 'https://cloudkms.googleapis.com';
const keyName = /^projects\/[^/\s]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/;

/** Numbers of 64 bits come as text. */
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

/** The service finds the version that has encrypted by itself. Both ways are proved by checksums, as the service asks for. */
export function openKeyService(settings: KeyServiceSettings, token: BearerToken = defaultToken()): KeyService {
  const { keyId, endpoint = usualEndpoint } = settings;
  if (!keyName.test(keyId)) {
    throw new ConfigError(
      'KEYFERRY_SEAL_KEY_ID has to be of the form projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>',
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
    `${type}: checksums show that a request or its answer was altered on the way; it is asked again`,
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
