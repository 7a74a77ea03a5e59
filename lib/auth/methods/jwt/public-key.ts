import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A cache of parsed keys. */
const known = new LRUCache<string, { readonly key: KeyObject | undefined }>({ max: 1_000 });

/** A public key in PEM, or that of a certificate. Undefined for anything else, including private keys. */
export function publicKey(pem: string): KeyObject | undefined {
  const found = known.get(pem) ?? { key: read(pem) };
  known.set(pem, found);
  return found.key;
}

function read(pem: string): KeyObject | undefined {
  if (pem.includes('PRIVATE KEY')) return undefined;
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
