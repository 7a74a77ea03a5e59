import { z } from 'zod';
import { ConfigError } from '#core/config.ts';
import { CipherError } from '#store/encryption/cipher.ts';
import { inTime, post } from '../call.ts';
import type { KeyService, KeyServiceSettings } from '../contract.ts';
import { incomplete, type Reason, reasonByStatus, refusal } from '../refusal.ts';
import { type Credentials, openSigner } from './sign.ts';

const type = 'cloud-a-kms';

const encrypted = z.object({ CiphertextBlob: z.base64(), KeyId: z.string().max(2_048) });
const decrypted = z.object({ Plaintext: z.base64() });

/**
 * The service decrypts with all earlier key material, so a rotation of the key needs no action here. Requests always name the
 * configured key, so that write access to the database cannot select another one.
 */
export function openKeyService(settings: KeyServiceSettings, credentials?: Credentials): KeyService {
  const { keyId } = settings;
  const region = regionOf(settings);
  const url = new URL(endpointOf(settings, region));
  const sign = openSigner(region, credentials);

  async function ask(operation: 'Encrypt' | 'Decrypt', fields: object, signal: AbortSignal): Promise<unknown> {
    const body = JSON.stringify({ KeyId: keyId, ...fields });
    const {
      status,
      headers,
      body: answer,
    } = await inTime(type, signal, async (deadline) => {
      const signed = await sign(url, { 'x-amz-target': `TrentService.${operation}` }, body);
      return post({ type, url, headers: signed, body }, deadline);
    });
    if (status === 200) return answer;
    const code = codeOf(headers, answer);
    if (operation === 'Decrypt' && isForeign(code)) {
      throw new CipherError(`the root key was not wrapped by the key ${keyId} (${code})`);
    }
    const reason = reasons.get(code) ?? reasonByStatus(status);
    throw refusal(reason, { type, keyId, permission: `kms:${operation}`, status, code });
  }

  return {
    type,
    keyId,
    async wrap(key, context, signal) {
      const fields = { Plaintext: Buffer.from(key).toString('base64'), EncryptionContext: { keyferry: context } };
      const answer = encrypted.safeParse(await ask('Encrypt', fields, signal));
      if (!answer.success) throw incomplete(type, 'a ciphertext');
      return { bytes: Buffer.from(answer.data.CiphertextBlob, 'base64'), keyId: answer.data.KeyId };
    },
    async unwrap({ bytes }, context, signal) {
      const fields = { CiphertextBlob: bytes.toString('base64'), EncryptionContext: { keyferry: context } };
      const answer = decrypted.safeParse(await ask('Decrypt', fields, signal));
      if (!answer.success) throw incomplete(type, 'a plaintext');
      return Buffer.from(answer.data.Plaintext, 'base64');
    },
  };
}

const reasons: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['AccessDeniedException', 'denied'],
  ['DisabledException', 'disabled'],
  ['KMSInvalidStateException', 'disabled'],
  ['NotFoundException', 'missing'],
  ['InvalidArnException', 'missing'],
  ['InvalidKeyUsageException', 'unfit'],
  ['UnrecognizedClientException', 'credentials'],
  ['InvalidSignatureException', 'credentials'],
  ['ExpiredTokenException', 'credentials'],
  ['MissingAuthenticationTokenException', 'credentials'],
  ['IncompleteSignatureException', 'credentials'],
  ['ThrottlingException', 'busy'],
  ['LimitExceededException', 'busy'],
  ['KeyUnavailableException', 'busy'],
  ['DependencyTimeoutException', 'busy'],
  ['KMSInternalException', 'busy'],
]);

/** Errors that mean another key, another context, or modified bytes. */
const isForeign = (code: string): boolean => code === 'IncorrectKeyException' || code === 'InvalidCiphertextException';

const failed = z.object({ __type: z.string() });

/** The error name in `prefix#Name:address`, from the header or the body. */
function codeOf(headers: Headers, answer: unknown): string {
  const named = headers.get('x-amzn-errortype') ?? failed.safeParse(answer).data?.__type ?? '';
  return named.split(':')[0]?.split('#').at(-1) ?? '';
}

const region = /^[a-z]{2,}(-[a-z0-9]+)+$/;

/** The region of the key, which an ARN contains. @throws ConfigError */
function regionOf({ keyId, region: configured }: KeyServiceSettings): string {
  const found = /^arn:[^:]+:kms:([^:]+):/.exec(keyId)?.[1] ?? configured;
  if (found !== undefined && region.test(found)) return found;
  throw new ConfigError(
    'KEYFERRY_SEAL_REGION is not set: it is the region of the key, unless KEYFERRY_SEAL_KEY_ID is an ARN or AWS_REGION is set',
  );
}

/** Partitions with other domains need KEYFERRY_SEAL_ENDPOINT. */
const endpointOf = ({ endpoint }: KeyServiceSettings, region: string): string =>
  endpoint ?? `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
