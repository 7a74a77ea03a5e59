import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import { CipherError, decrypt, encrypt, keyBytes } from '../store/encryption/cipher.ts';
import type { OuterKey } from '../store/seal/keys/root-key-source.ts';
import type { KeyService } from './contract.ts';

/**
 * A key of a key service as the seal. The service wraps a fresh key, and that one seals the root key here: the root key itself never
 * leaves the process, and a service that answers another key than it was given is found out. Layout: length of the wrapped key
 * (2 bytes, big endian), the wrapped key, the sealed root key.
 */
export function outerKeyBy(service: KeyService): OuterKey {
  return {
    type: service.type,
    opens: (record) => record.type === service.type,
    async wrapRootKey(rootKey, clusterId, signal) {
      const context = contextOf(clusterId);
      const key = randomBytes(keyBytes);
      // Before any wait: whoever lends the root key may overwrite it.
      const sealed = encrypt(key, 0, rootKey, context);
      try {
        const wrapped = await service.wrap(key, context, signal);
        mustBeWrapped(service, key, wrapped.bytes);
        // A key that wraps and does not unwrap would lose the store.
        const back = await service.unwrap(wrapped, context, signal).catch(notOurs(service));
        const isSame = back.length === key.length && timingSafeEqual(back, key);
        back.fill(0);
        if (!isSame) throw strange(service, 'unwraps another key than it has wrapped');
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
        if (key.length !== keyBytes) throw strange(service, `answers ${key.length} bytes for a key of ${keyBytes}`);
        return decrypt(key, sealed, context);
      } finally {
        key.fill(0);
      }
    },
    close: () => {},
  };
}

const contextOf = (clusterId: string): string => `seal/root_key/${clusterId}`;

/** Far more than any service makes of 32 bytes. */
const wrappedBytesMax = 16_384;
const lengthBytes = 2;

function mustBeWrapped(service: KeyService, key: Buffer, wrapped: Buffer): void {
  if (wrapped.length === 0) throw strange(service, 'answers nothing for a key to wrap');
  if (wrapped.length > wrappedBytesMax) throw strange(service, `answers more than ${wrappedBytesMax} bytes`);
  if (wrapped.includes(key)) throw strange(service, 'answers the key that it was to wrap, as it was');
}

const strange = ({ type, keyId }: KeyService, what: string): AppError =>
  new AppError('unavailable', `${type} ${what}: what answers for the key ${keyId} is not the key service`);

/** While it wraps, a refusal of what it has just wrapped is no foreign store. */
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
