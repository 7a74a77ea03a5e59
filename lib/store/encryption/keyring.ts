import { hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keyBytes } from './cipher.ts';

/**
 * Delay between publishing a new key and using it. By then every process has read the key, so none finds a value under a key that
 * it does not know.
 */
export const activationDelayMs = 15_000;

/** When a key is rotated automatically. */
export interface RotationRule {
  /** `false`: rotate only when the key could no longer be used safely. */
  readonly enabled: boolean;
  /** Maximum number of values under one key. */
  readonly operationsMax: number;
  /** Maximum age of a key; 0 means no limit. */
  readonly intervalSeconds: number;
}

/** Absolute limit of values under one key: random nonces allow 2^32, and counts are approximate. */
export const operationsMaxSafe = 3_865_470_566;
export const defaultRotation: RotationRule = { enabled: true, operationsMax: 2 ** 31, intervalSeconds: 0 };

export interface KeyringKey {
  readonly term: number;
  readonly key: Buffer;
  readonly installTime: Date;
  readonly activeFrom: Date;
  /** Approximate number of values sealed under it. */
  readonly encryptions: number;
}

/** The keys of the barrier by term, newest last, and the permanent key from which the keys of `mac` are derived. */
export interface Keyring {
  readonly keys: readonly KeyringKey[];
  readonly macKey: Buffer;
  readonly rotation: RotationRule;
}

export function newKeyring(now: Date): Keyring {
  return { keys: [newKey(1, now, now)], macKey: randomBytes(keyBytes), rotation: defaultRotation };
}

/** Whether the newest key has reached a limit of the rotation rule. */
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

/** The newest key that every process already knows. */
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
  // Keyrings of earlier releases do not have it.
  rotation: z
    .object({ enabled: z.boolean(), operationsMax: z.int(), intervalSeconds: z.int() })
    .readonly()
    .default(defaultRotation),
});

/** The keyring as JSON, to be sealed under the root key. The caller overwrites the buffer. */
export function encodeKeyring(keyring: Keyring): Buffer {
  const keys = keyring.keys.map((key) => ({ ...key, key: key.key.toString('base64') }));
  return Buffer.from(JSON.stringify({ ...keyring, keys, macKey: keyring.macKey.toString('base64') }));
}

export function decodeKeyring(encoded: Buffer): Keyring {
  return keyringText.parse(JSON.parse(encoded.toString()));
}
