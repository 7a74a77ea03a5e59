import { timingSafeEqual } from 'node:crypto';
import { badRequest } from '../../../core/errors.ts';
import { keyBytes } from '../../encryption/cipher.ts';
import { decodeKey } from '../key-text.ts';
import { openRootKey, type SealRecord } from '../record.ts';
import { combineShares, mustBeShare, type ShareRule } from '../shares.ts';

/** How many shares of the unseal key prove that their holders want something. With the automatic seal its key is the one share. */
export const proofRule = (record: SealRecord): ShareRule =>
  record.type === 'static' ? { shares: 1, threshold: 1 } : record;

/** @throws AppError `bad-request` for what cannot be a share by the rule */
export function readShare(text: string, rule: ShareRule): Buffer {
  const share = decodeKey(text);
  if (share === undefined) throw badRequest("'key' must be a valid hex or base64 string");
  mustBeShare(share, rule);
  return share;
}

/** The shares given so far with this one, in base64. One that was given already counts once. */
export function withShare(given: readonly string[], share: Buffer): readonly string[] {
  const isKnown = given.some((one) => sameBytes(Buffer.from(one, 'base64'), share));
  return isKnown ? given : [...given, share.toString('base64')];
}

/** The key that shares make; undefined: they do not belong together. */
export async function keyOf(given: readonly string[], rule: ShareRule): Promise<Buffer | undefined> {
  const shares = given.map((share) => Buffer.from(share, 'base64'));
  // Two shares of one coordinate are an error, other wrong sets a wrong key.
  const key = await combineShares(shares, rule).catch(() => undefined);
  return key?.length === keyBytes ? key : undefined;
}

/** The root key, if the key opens it: the proof that the shares are those of this service. */
export function rootKeyBy(record: SealRecord, key: Buffer | undefined): Buffer | undefined {
  if (key === undefined) return undefined;
  try {
    return openRootKey(record, key);
  } catch {
    return undefined;
  }
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const wrongKeys = () =>
  badRequest('the given keys are not those of this service: start again with the first one');

/** @throws AppError `bad-request` */
export function mustBeNonce(given: string, nonce: string): void {
  if (given !== nonce) throw badRequest(`incorrect nonce supplied; the nonce of this operation is "${nonce}"`);
}
