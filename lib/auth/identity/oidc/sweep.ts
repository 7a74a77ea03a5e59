import type { Store } from '#store/store.ts';
import { dropExpiredLogins } from './flow/codes.ts';
import { dropRetired, rotateDue } from './keys/rotate.ts';

/** Bounds of one round: new key pairs take processor time. */
const rotationsMax = 50;
const rotationMsMax = 5_000;

/**
 * Rotates keys that are due, and deletes at most `limit` of each: retired public keys whose time is over, expired codes, expired access
 * tokens. Returns their number.
 */
export async function tendOidcKeys(store: Store, limit: number): Promise<number> {
  const rotated = await rotateDue(store, rotationsMax, AbortSignal.timeout(rotationMsMax));
  return rotated + (await dropRetired(store, limit)) + (await dropExpiredLogins(store, limit));
}
