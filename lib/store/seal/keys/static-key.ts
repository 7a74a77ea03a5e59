import { readFile } from 'node:fs/promises';
import type { Secret } from '#core/secret.ts';
import { keyBytes } from '../../encryption/cipher.ts';
import { openRootKey, sealRootKey } from '../record.ts';
import { decodeKey } from '../shares/key-text.ts';
import type { OuterKey } from './root-key-source.ts';

/** The key of the automatic seal: 32 bytes as hex or base64, given directly or in a file. A file may also hold the raw bytes. */
export type StaticKeySource = { readonly key: Secret } | { readonly keyFile: string };

/** Opens a key that every process is configured with. @throws Error that names the source of the key, never its content. */
export async function openStaticKey(source: StaticKeySource): Promise<OuterKey> {
  const key = await readKey(source);
  return {
    type: 'static',
    opens: (record) => record.type === 'static',
    openRootKey: async (record) => openRootKey(record, key),
    wrapRootKey: async (rootKey, clusterId) => ({ wrapped: sealRootKey(rootKey, key, clusterId), keyId: '' }),
    close: () => {
      key.fill(0);
    },
  };
}

async function readKey(source: StaticKeySource): Promise<Buffer> {
  if ('key' in source) return mustBeKey(decodeKey(source.key.reveal()), 'the configured unseal key');
  const content = await readFile(source.keyFile).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`the unseal key file ${source.keyFile} cannot be read: ${cause.code ?? 'unknown error'}`);
  });
  const key = content.length === keyBytes ? content : decodeKey(content.toString());
  return mustBeKey(key, `the unseal key in ${source.keyFile}`);
}

function mustBeKey(key: Buffer | undefined, what: string): Buffer {
  if (key?.length === keyBytes) return key;
  throw new Error(
    `${what} must be ${keyBytes} bytes in hex or base64: create one with "openssl rand -hex ${keyBytes}"`,
  );
}
