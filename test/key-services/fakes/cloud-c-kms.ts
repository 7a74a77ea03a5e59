import { randomBytes } from 'node:crypto';
import { crc32c } from '#core/digest/crc32c.ts';
import { openKeyService } from '#key-services/cloud-c-kms/index.ts';
import { CipherError, decrypt, encrypt } from '#store/encryption/cipher.ts';
import type { FakeKeyService } from './fake.ts';
import { type Fault, type Reply, startFake } from './server.ts';

const ring = 'projects/p/locations/europe-west1/keyRings/r/cryptoKeys';

/** The newest version encrypts, and the service finds the version for decryption. Checksums are checked in both directions. */
export async function fakeCloudCKms(): Promise<FakeKeyService> {
  const versions = new Map([
    [`${ring}/one`, [randomBytes(32)]],
    [`${ring}/two`, [randomBytes(32)]],
  ]);
  const server = await startFake(({ path, headers, body, fault }) => {
    if (headers.authorization !== 'Bearer of-the-test') return error(401, 'UNAUTHENTICATED');
    const refused = fault === undefined ? undefined : refusals[fault];
    if (refused !== undefined) return refused;
    const [, name = '', verb] = /^\/v1\/(.+):(encrypt|decrypt)$/.exec(path) ?? [];
    const keys = versions.get(name);
    if (keys === undefined) return error(404, 'NOT_FOUND');
    const [data, aad] = [bytes(body['plaintext'] ?? body['ciphertext']), bytes(body['additionalAuthenticatedData'])];
    const sums = [body['plaintextCrc32c'] ?? body['ciphertextCrc32c'], body['additionalAuthenticatedDataCrc32c']];
    if (sums[0] !== sumOf(data) || sums[1] !== sumOf(aad)) return error(400, 'INVALID_ARGUMENT', 'checksum mismatch');
    if (verb === 'decrypt') return decrypted(keys, data, aad.toString(), fault);
    const sealed = fault === 'echo' ? data : encrypt(keys.at(-1) ?? Buffer.of(), keys.length - 1, data, aad.toString());
    return {
      status: 200,
      body: {
        name: `${name}/cryptoKeyVersions/${keys.length}`,
        ciphertext: sealed.toString('base64'),
        ciphertextCrc32c: sumOf(sealed),
        verifiedPlaintextCrc32c: true,
        verifiedAdditionalAuthenticatedDataCrc32c: true,
        protectionLevel: 'SOFTWARE',
      },
    };
  });
  const token = async () => 'of-the-test';
  const open = (name: string) =>
    openKeyService({ keyId: `${ring}/${name}`, region: undefined, endpoint: server.url }, token);
  return {
    server,
    service: open('one'),
    other: open('two'),
    rotate: () => void versions.get(`${ring}/one`)?.push(randomBytes(32)),
  };
}

function decrypted(keys: readonly Buffer[], sealed: Buffer, aad: string, fault: Fault | undefined): Reply {
  try {
    const key = decrypt(keys[sealed.readUInt32BE()] ?? randomBytes(32), sealed, aad);
    const shown = fault === 'foreign' ? randomBytes(32) : fault === 'short' ? key.subarray(16) : key;
    return {
      status: 200,
      body: { plaintext: shown.toString('base64'), plaintextCrc32c: sumOf(shown), usedPrimary: true },
    };
  } catch (cause) {
    if (!(cause instanceof CipherError)) throw cause;
    return error(400, 'INVALID_ARGUMENT', "Decryption failed: verify that 'name' refers to the correct CryptoKey.");
  }
}

const bytes = (text: unknown): Buffer => Buffer.from(String(text), 'base64');
const sumOf = (data: Uint8Array): string => String(crc32c(data));

const error = (status: number, name: string, message = 'as the service says it'): Reply => ({
  status,
  body: { error: { code: status, status: name, message } },
});

const refusals: Partial<Record<Fault, Reply>> = {
  denied: error(403, 'PERMISSION_DENIED'),
  credentials: error(401, 'UNAUTHENTICATED'),
  disabled: error(400, 'FAILED_PRECONDITION'),
  missing: error(404, 'NOT_FOUND'),
  busy: error(503, 'UNAVAILABLE'),
};
