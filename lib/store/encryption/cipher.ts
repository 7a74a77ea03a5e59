import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  type DecipherGCM,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { inSlices, yieldToOthers } from '#core/concurrency/yielding.ts';
import type { Pieces } from '../store.ts';

/**
 * AES-256-GCM with a random nonce. Layout: key term (4 bytes, big endian), format version (1 byte), nonce (12), ciphertext,
 * tag (16). Random nonces are safe for about 2^32 values per key, so keys are replaced well before that (see keyring.ts).
 */
const algorithm = 'aes-256-gcm';
export const keyBytes = 32;
const formatVersion = 1;
const headerBytes = 5;
const nonceBytes = 12;
const tagBytes = 16;
const overheadBytes = headerBytes + nonceBytes + tagBytes;

/** The value was changed, belongs to another row, or was sealed under another key. */
export class CipherError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CipherError';
  }
}

/** Pass frequently used keys as a `KeyObject`: from bytes, Node creates one on each call, which costs more than the cipher itself. */
export type CipherKey = Uint8Array | KeyObject;

export function encrypt(key: CipherKey, term: number, plaintext: string | Uint8Array, aad: string): Buffer {
  const { head, cipher } = begin(key, term, aad);
  const body = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  return Buffer.concat([head, body, cipher.final(), cipher.getAuthTag()]);
}

/**
 * Like `encrypt` for a text in pieces; yields to the event loop between slices. `pieces` is called twice: with the total length known,
 * the sealed value is built in a single buffer, so a long value is not in memory twice.
 */
export async function encryptInSlices(
  key: CipherKey,
  term: number,
  pieces: () => Pieces,
  aad: string,
): Promise<Buffer> {
  const { head, cipher } = begin(key, term, aad);
  const sealed = Buffer.allocUnsafe((await bytesOf(pieces())) + overheadBytes);
  let filled = head.copy(sealed);
  const put = (bytes: Buffer) => {
    filled += bytes.copy(sealed, filled);
  };
  await forEachInSlices(pieces(), (piece) =>
    put(typeof piece === 'string' ? cipher.update(piece, 'utf8') : cipher.update(piece)),
  );
  put(cipher.final());
  put(cipher.getAuthTag());
  if (filled !== sealed.length) throw new Error('the pieces of a text changed between two passes');
  return sealed;
}

async function bytesOf(pieces: Pieces): Promise<number> {
  let bytes = 0;
  await forEachInSlices(pieces, (piece) => {
    bytes += Buffer.byteLength(piece);
  });
  return bytes;
}

const forEachInSlices = (pieces: Pieces, take: (piece: string | Uint8Array) => void): Promise<void> =>
  inSlices(() => {
    const { value, done } = pieces.next();
    if (value !== undefined) take(value);
    return done === true;
  });

function begin(key: CipherKey, term: number, aad: string): { readonly head: Buffer; readonly cipher: CipherGCM } {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(term);
  header.writeUInt8(formatVersion, headerBytes - 1);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(aad));
  return { head: Buffer.concat([header, nonce]), cipher };
}

/** @throws CipherError */
export function decrypt(key: CipherKey, sealed: Uint8Array, aad: string): Buffer {
  const value = view(sealed);
  const decipher = decipherOf(key, value, aad);
  decipher.setAuthTag(value.subarray(value.length - tagBytes));
  const body = decipher.update(value.subarray(headerBytes + nonceBytes, value.length - tagBytes));
  return Buffer.concat([body, finalOf(decipher)]);
}

/**
 * Like `decrypt` for a value in pieces. Returns nothing before the whole value has been authenticated.
 *
 * @throws CipherError
 */
export async function decryptInSlices(
  keyOf: (term: number) => CipherKey,
  sealed: AsyncIterable<Buffer>,
  aad: string,
): Promise<readonly Buffer[]> {
  const opened: Buffer[] = [];
  let decipher: DecipherGCM | undefined;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of sealed) {
    rest = Buffer.concat([rest, piece]);
    if (decipher === undefined) {
      if (rest.length < overheadBytes) continue;
      decipher = decipherOf(keyOf(termOf(rest)), rest, aad);
      rest = rest.subarray(headerBytes + nonceBytes);
    }
    // The last bytes are the tag.
    const end = rest.length - tagBytes;
    opened.push(decipher.update(rest.subarray(0, end)));
    rest = rest.subarray(end);
    await yieldToOthers();
  }
  if (decipher === undefined) throw new CipherError('a sealed value has an unknown format');
  decipher.setAuthTag(rest);
  opened.push(finalOf(decipher));
  return opened;
}

function decipherOf(key: CipherKey, value: Buffer, aad: string): DecipherGCM {
  const nonce = value.subarray(headerBytes, headerBytes + nonceBytes);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(aad));
  return decipher;
}

function finalOf(decipher: DecipherGCM): Buffer {
  try {
    return decipher.final();
  } catch (cause) {
    throw new CipherError('a sealed value does not open with its key and row', { cause });
  }
}

/** The term of the key that a value was sealed under. @throws CipherError when this is not a sealed value. */
export const termOf = (sealed: Uint8Array): number => view(sealed).readUInt32BE();

function view(sealed: Uint8Array): Buffer {
  if (sealed.length < overheadBytes || sealed[headerBytes - 1] !== formatVersion) {
    throw new CipherError('a sealed value has an unknown format');
  }
  return Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
}
