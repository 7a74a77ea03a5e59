import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '#core/errors.ts';
import { CipherError, decrypt, encrypt, keyBytes } from '#store/encryption/cipher.ts';
import type { OuterKey } from '#store/seal/keys/root-key-source.ts';
import type { KeyService } from './contract.ts';

/**
 * A key of a key service as the seal. The service wraps a fresh key, which encrypts the root key locally: the root key never leaves
 * the process, and a service that returns a different key is detected. Layout: length of the wrapped key (2 bytes, big endian), the
 * wrapped key, the encrypted root key.
 */
export function outerKeyBy(service: KeyService): OuterKey {
  return {
    type: service.type,
    opens: (record) => record.type === service.type,
    async wrapRootKey(rootKey, clusterId, signal) {
      const context = contextOf(clusterId);
      const key = randomBytes(keyBytes);
      // Before any await, because the caller may overwrite the root key.
      const sealed = encrypt(key, 0, rootKey, context);
      try {
        const wrapped = await service.wrap(key, context, signal);
        mustBeWrapped(service, key, wrapped.bytes);
        // A key that wraps but does not unwrap would make the store unreadable.
        const back = await service.unwrap(wrapped, context, signal).catch(notOurs(service));
        const isSame = back.length === key.length && timingSafeEqual(back, key);
        back.fill(0);
        if (!isSame) throw strange(service, 'unwraps a different key than it has wrapped');
        return { wrapped: pack(wrapped.bytes, sealed), keyId: wrapped.keyId };
      } finally {
        key.fill(0);
      }
    },
    async openRootKey({ root_key, key_id, cluster_id }, signal) {
      const context = contextOf(cluster_id);
      const { wrapped, sealed } = unpack(root_key);
      const key = await service.unwrap({ bytes: wrapped, keyId: key_id }, context, signal);
      try {
        if (key.length !== keyBytes) throw strange(service, `returned ${key.length} bytes for a key of ${keyBytes}`);
        return decrypt(key, sealed, context);
      } finally {
        key.fill(0);
      }
    },
    close: () => {},
  };
}

const contextOf = (clusterId: string): string => `seal/root_key/${clusterId}`;

/** Far more than any service returns for 32 bytes. */
const wrappedBytesMax = 16_384;
const lengthBytes = 2;

function mustBeWrapped(service: KeyService, key: Buffer, wrapped: Buffer): void {
  if (wrapped.length === 0) throw strange(service, 'returned nothing for a key to wrap');
  if (wrapped.length > wrappedBytesMax) throw strange(service, `returned more than ${wrappedBytesMax} bytes`);
  if (wrapped.includes(key)) throw strange(service, 'returned the key unwrapped');
}

const strange = ({ type, keyId }: KeyService, what: string): AppError =>
  new AppError('unavailable', `${type} ${what}: the answer for the key ${keyId} did not come from the key service`);

/** During wrapping, a refusal to unwrap the result does not mean a foreign store. */
const notOurs =
  (service: KeyService) =>
  (error: unknown): never => {
    throw error instanceof CipherError ? strange(service, 'does not unwrap what it has just wrapped') : error;
  };

function pack(wrapped: Buffer, sealed: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(wrapped.length);
  return Buffer.concat([length, wrapped, sealed]);
}

/** @throws CipherError */
function unpack(packed: Buffer): { readonly wrapped: Buffer; readonly sealed: Buffer } {
  const end = packed.length < lengthBytes ? Number.POSITIVE_INFINITY : lengthBytes + packed.readUInt16BE();
  if (end >= packed.length) throw new CipherError('the stored root key has an unknown format');
  return { wrapped: packed.subarray(lengthBytes, end), sealed: packed.subarray(end) };
}
