import { timingSafeEqual } from 'node:crypto';
import { badField } from '#core/errors.ts';
import { keyBytes } from '../../encryption/cipher.ts';
import type { SealRecord } from '../record.ts';
import { decodeKey } from '../shares/key-text.ts';
import { combineShares, mustBeShare, type ShareRule } from '../shares/shares.ts';
import type { Proof, Quorum } from './quorum.ts';

/** @throws AppError `bad-request` for a text that cannot be a share under the rule */
export function readShare(text: string, rule: ShareRule): Buffer {
  const share = decodeKey(text);
  if (share === undefined) throw badField('key', "'key' must be a valid hex or base64 string");
  mustBeShare(share, rule);
  return share;
}

/**
 * The shares given so far and this one, in base64.
 *
 * @throws AppError `bad-request` for a share that was given before, so that its holder does not believe it counts twice
 */
export function withShare(given: readonly string[], share: Buffer): readonly string[] {
  const isKnown = given.some((one) => sameBytes(Buffer.from(one, 'base64'), share));
  if (isKnown) throw badField('key', 'given key has already been provided during this operation: give another one');
  return [...given, share.toString('base64')];
}

/** Combines shares into a key; undefined when they do not belong together. */
export async function keyOf(given: readonly string[], rule: ShareRule): Promise<Buffer | undefined> {
  const shares = given.map((share) => Buffer.from(share, 'base64'));
  // Combining throws for two shares with the same coordinate; any other wrong set gives a wrong key.
  const key = await combineShares(shares, rule).catch(() => undefined);
  return key?.length === keyBytes ? key : undefined;
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const wrongKeys = () =>
  badField('key', 'the given keys do not belong to this service: start again with the first one');

/** The proof that the shares give; undefined when they are not the shares of the quorum's key. */
export async function proofBy(
  quorum: Quorum,
  record: SealRecord,
  given: readonly string[],
): Promise<Proof | undefined> {
  const key = await keyOf(given, quorum.ruleOf(record));
  if (key === undefined) return undefined;
  const proof = quorum.proofOf(record, key);
  key.fill(0);
  return proof;
}

/** @throws AppError `bad-request` */
export function mustBeNonce(given: string, nonce: string): void {
  if (given !== nonce) throw badField('nonce', `incorrect nonce supplied; the nonce of this operation is "${nonce}"`);
}
