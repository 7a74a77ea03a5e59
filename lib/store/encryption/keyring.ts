import { hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keyBytes } from './cipher.ts';

/**
 * A rotated key is published first and used from then on: by that time every process has read it, so none meets a value
 * under a key it does not know.
 */
export const activationDelayMs = 15_000;

/** When a key is replaced by itself. */
export interface RotationRule {
  /** `false`: only when going on with the key would not be safe. */
  readonly enabled: boolean;
  /** Values under one key. */
  readonly operationsMax: number;
  /** Age of a key; 0: no limit. */
  readonly intervalSeconds: number;
}

/** Values under one key at the very most: random nonces allow 2^32, and counts are approximate. */
export const operationsMaxSafe = 3_865_470_566;
export const usualRotation: RotationRule = { enabled: true, operationsMax: 2 ** 31, intervalSeconds: 0 };

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
  readonly rotation: RotationRule;
}

export function newKeyring(now: Date): Keyring {
  return { keys: [newKey(1, now, now)], macKey: randomBytes(keyBytes), rotation: usualRotation };
}

/** Whether the newest key has done its work. */
export function isRotationDue(keyring: Keyring, now: Date): boolean {
  const { encryptions, installTime } = newestKey(keyring);
  const { enabled, operationsMax, intervalSeconds } = keyring.rotation;
  if (encryptions > (enabled ? operationsMax : operationsMaxSafe)) return true;
  return enabled && intervalSeconds > 0 && now.getTime() - installTime.getTime() >= intervalSeconds * 1_000;
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
  // Stores of earlier releases have none.
  rotation: z
    .object({ enabled: z.boolean(), operationsMax: z.int(), intervalSeconds: z.int() })
    .readonly()
    .default(usualRotation),
});

/** The keyring as JSON, to be sealed under the root key. The caller overwrites the buffer. */
export function encodeKeyring(keyring: Keyring): Buffer {
  const keys = keyring.keys.map((key) => ({ ...key, key: key.key.toString('base64') }));
  return Buffer.from(JSON.stringify({ ...keyring, keys, macKey: keyring.macKey.toString('base64') }));
}

export function decodeKeyring(encoded: Buffer): Keyring {
  return keyringText.parse(JSON.parse(encoded.toString()));
}
