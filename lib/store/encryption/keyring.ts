import { hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keyBytes } from './cipher.ts';

/**
 * A rotated key is published first and used from then on: by that time every process has read it, so none meets a value
 * under a key it does not know.
 */
export const activationDelayMs = 15_000;

/** Values under one key until it is replaced by itself: half of what random nonces allow, for counts are approximate. */
export const encryptionsMax = 2 ** 31;

export interface KeyringKey {
  readonly term: number;
  readonly key: Buffer;
  readonly installTime: Date;
  readonly activeFrom: Date;
  /** Values sealed under it, as far as it was counted. */
  readonly encryptions: number;
}

/** The keys of the barrier by term, newest last, and the key from which the keys of `mac` derive, which stays for ever. */
export interface Keyring {
  readonly keys: readonly KeyringKey[];
  readonly macKey: Buffer;
}

export function newKeyring(now: Date): Keyring {
  return { keys: [newKey(1, now, now)], macKey: randomBytes(keyBytes) };
}

export function withNewKey(keyring: Keyring, now: Date): Keyring {
  const activeFrom = new Date(now.getTime() + activationDelayMs);
  return { ...keyring, keys: [...keyring.keys, newKey(newestKey(keyring).term + 1, now, activeFrom)] };
}

export function withEncryptions(keyring: Keyring, used: ReadonlyMap<number, number>): Keyring {
  const keys = keyring.keys.map((key) => ({ ...key, encryptions: key.encryptions + (used.get(key.term) ?? 0) }));
  return { ...keyring, keys };
}

export function newestKey(keyring: Keyring): KeyringKey {
  const newest = keyring.keys.at(-1);
  if (newest === undefined) throw new Error('a keyring has at least one key');
  return newest;
}

/** The newest key that every process knows by now. */
export function activeKey(keyring: Keyring, now: Date): KeyringKey {
  return keyring.keys.findLast((key) => key.activeFrom <= now) ?? newestKey(keyring);
}

export function macKeyFor(keyring: Keyring, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', keyring.macKey, '', `keyferry/mac/${purpose}`, keyBytes));
}

/** Overwrites the keys in memory. */
export function zeroKeyring(keyring: Keyring): void {
  for (const { key } of keyring.keys) key.fill(0);
  keyring.macKey.fill(0);
}

function newKey(term: number, installTime: Date, activeFrom: Date): KeyringKey {
  return { term, key: randomBytes(keyBytes), installTime, activeFrom, encryptions: 0 };
}

const keyText = z.base64().transform((text) => Buffer.from(text, 'base64'));
const time = z.iso.datetime().transform((text) => new Date(text));
const keyringText = z.object({
  keys: z
    .array(
      z.object({
        term: z.int().min(1),
        key: keyText,
        installTime: time,
        activeFrom: time,
        encryptions: z.int().min(0),
      }),
    )
    .min(1),
  macKey: keyText,
});

/** The keyring as JSON, to be sealed under the root key. The caller overwrites the buffer. */
export function encodeKeyring(keyring: Keyring): Buffer {
  const keys = keyring.keys.map((key) => ({ ...key, key: key.key.toString('base64') }));
  return Buffer.from(JSON.stringify({ keys, macKey: keyring.macKey.toString('base64') }));
}

export function decodeKeyring(encoded: Buffer): Keyring {
  return keyringText.parse(JSON.parse(encoded.toString()));
}
