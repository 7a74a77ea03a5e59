import { randomBytes } from 'node:crypto';
import { openKeyService } from '#key-services/cloud-a-kms/index.ts';
import { CipherError, decrypt, encrypt } from '#store/encryption/cipher.ts';
import type { FakeKeyService } from './fake.ts';
import { type Fault, type Reply, startFake } from './server.ts';

const arnOf = (name: string) => `arn:aws:kms:eu-west-1:111122223333:key/${name}`;
const region = 'eu-west-1';

/** Ciphertexts contain their key and key material. Other contexts and other keys are refused, as by the service. */
export async function fakeCloudAKms(): Promise<FakeKeyService> {
  const materials = new Map([arnOf('one'), arnOf('two')].map((arn) => [arn, [randomBytes(32)]]));
  const server = await startFake(({ headers, body, fault }) => {
    const isSigned = /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/kms\/aws4_request, /;
    if (!isSigned.test(headers.authorization ?? '')) return error(400, 'IncompleteSignatureException');
    const refused = fault === undefined ? undefined : refusals[fault];
    if (refused !== undefined) return error(refused[0], refused[1]);
    const { KeyId, Plaintext, CiphertextBlob, EncryptionContext } = body;
    const keys = materials.get(String(KeyId));
    if (keys === undefined) return error(400, 'NotFoundException');
    const context = JSON.stringify(EncryptionContext);
    if (headers['x-amz-target'] === 'TrentService.Encrypt') {
      if (fault === 'echo') return { status: 200, body: { CiphertextBlob: Plaintext, KeyId } };
      const sealed = encrypt(keys.at(-1) ?? Buffer.of(), keys.length - 1, bytes(Plaintext), context);
      const blob = Buffer.concat([Buffer.from(`${String(KeyId)}\n`), sealed]);
      return { status: 200, body: { CiphertextBlob: blob.toString('base64'), KeyId } };
    }
    return decrypted(keys, String(KeyId), bytes(CiphertextBlob), context, fault);
  });
  const credentials = async () => ({ accessKeyId: 'AKID', secretAccessKey: 'not a secret' });
  const open = (name: string) => openKeyService({ keyId: arnOf(name), region, endpoint: server.url }, credentials);
  return {
    server,
    service: open('one'),
    other: open('two'),
    rotate: () => void materials.get(arnOf('one'))?.push(randomBytes(32)),
  };
}

function decrypted(
  keys: readonly Buffer[],
  keyId: string,
  blob: Buffer,
  context: string,
  fault: Fault | undefined,
): Reply {
  const end = blob.indexOf('\n');
  if (end < 0) return error(400, 'InvalidCiphertextException');
  if (blob.subarray(0, end).toString() !== keyId) return error(400, 'IncorrectKeyException');
  const sealed = blob.subarray(end + 1);
  try {
    const key = decrypt(keys[sealed.readUInt32BE()] ?? Buffer.of(), sealed, context);
    const shown = fault === 'foreign' ? randomBytes(32) : fault === 'short' ? key.subarray(16) : key;
    return { status: 200, body: { Plaintext: shown.toString('base64'), KeyId: keyId } };
  } catch (cause) {
    if (cause instanceof CipherError) return error(400, 'InvalidCiphertextException');
    throw cause;
  }
}

const bytes = (text: unknown): Buffer => Buffer.from(String(text), 'base64');

const error = (status: number, type: string): Reply => ({
  status,
  body: { __type: `com.amazonaws.kms#${type}`, message: 'as the service says it' },
});

const refusals: Partial<Record<Fault, readonly [number, string]>> = {
  denied: [400, 'AccessDeniedException'],
  credentials: [400, 'UnrecognizedClientException'],
  disabled: [400, 'DisabledException'],
  missing: [400, 'NotFoundException'],
  busy: [500, 'KMSInternalException'],
};
