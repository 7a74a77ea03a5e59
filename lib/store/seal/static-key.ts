import { readFile } from 'node:fs/promises';
import type { Secret } from '../../core/secret.ts';
import { keyBytes } from '../encryption/cipher.ts';
import { decodeKey } from './key-text.ts';

/** Where the key of the automatic seal is: 32 bytes as hex or base64, given or in a file; a file may hold the bare bytes. */
export type StaticKeySource = { readonly key: Secret } | { readonly keyFile: string };

/** @throws Error that says where the key was looked for, never what was found. */
export async function readStaticKey(source: StaticKeySource): Promise<Buffer> {
  if ('key' in source) return mustBeKey(decodeKey(source.key.reveal()), 'the configured unseal key');
  const content = await readFile(source.keyFile).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`the unseal key file ${source.keyFile} cannot be read: ${cause.code ?? 'unknown error'}`);
  });
  const key = content.length === keyBytes ? content : decodeKey(content.toString());
  return mustBeKey(key, `the unseal key in ${source.keyFile}`);
}

function mustBeKey(key: Buffer | undefined, what: string): Buffer {
  if (key?.length === keyBytes) return key;
  throw new Error(`${what} must be ${keyBytes} bytes in hex or base64: make one with "openssl rand -hex ${keyBytes}"`);
}
