import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

/**
 * AES-256-GCM with a random nonce. Layout: key term (4 bytes, big endian), format version (1 byte), nonce (12), ciphertext,
 * tag (16). Random nonces are safe for some 2^32 values per key, so keys are replaced well before (see keyring.ts).
 */
const algorithm = 'aes-256-gcm';
export const keyBytes = 32;
const formatVersion = 1;
const headerBytes = 5;
const nonceBytes = 12;
const tagBytes = 16;
const overheadBytes = headerBytes + nonceBytes + tagBytes;

/** The value was changed, belongs to another place, or was sealed under another key. */
export class CipherError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CipherError';
  }
}

/** A key that is used often is best given as a `KeyObject`: Node makes one of bytes at each call, which costs more than the cipher. */
export type CipherKey = Uint8Array | KeyObject;

export function encrypt(key: CipherKey, term: number, plaintext: string | Uint8Array, aad: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(term);
  header.writeUInt8(formatVersion, headerBytes - 1);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(aad));
  const body = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  return Buffer.concat([header, nonce, body, cipher.final(), cipher.getAuthTag()]);
}

/** @throws CipherError */
export function decrypt(key: CipherKey, sealed: Uint8Array, aad: string): Buffer {
  const value = view(sealed);
  const nonceEnd = headerBytes + nonceBytes;
  const decipher = createDecipheriv(algorithm, key, value.subarray(headerBytes, nonceEnd), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(value.subarray(value.length - tagBytes));
  const body = decipher.update(value.subarray(nonceEnd, value.length - tagBytes));
  try {
    return Buffer.concat([body, decipher.final()]);
  } catch (cause) {
    throw new CipherError('a sealed value does not open with its key at its place', { cause });
  }
}

/** The term of the key that a value was sealed under. @throws CipherError when this is no sealed value. */
export const termOf = (sealed: Uint8Array): number => view(sealed).readUInt32BE();

function view(sealed: Uint8Array): Buffer {
  if (sealed.length < overheadBytes || sealed[headerBytes - 1] !== formatVersion) {
    throw new CipherError('a sealed value has an unknown format');
  }
  return Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
}
