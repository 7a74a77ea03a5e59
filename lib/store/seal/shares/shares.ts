import { combine, split } from 'shamir-secret-sharing';
import { badField } from '#core/errors.ts';
import { keyBytes } from '../../encryption/cipher.ts';

/** How many shares a key is split into, and how many of them restore it. */
export interface ShareRule {
  readonly shares: number;
  readonly threshold: number;
}

/** The coordinate of a share is one byte and never 0. */
const sharesMax = 255;

/**
 * A share is one byte longer than the key, for its coordinate; a single share is the key itself.
 *
 * @throws AppError `bad-request` when the length is wrong
 */
export function mustBeShare(share: Uint8Array, rule: ShareRule): void {
  const bytes = rule.shares === 1 ? keyBytes : keyBytes + 1;
  if (share.length !== bytes) throw badField('key', `'key' must be ${bytes} bytes long, this one has ${share.length}`);
}

/** 1 ≤ threshold ≤ shares ≤ 255, and a threshold of 1 only for a single share: else each share would be the whole key. */
export function checkShareRule({ shares, threshold }: ShareRule, names: 'secret' | 'recovery' = 'secret'): void {
  const refuse = (field: string, rule: string) => {
    const why = `${field} must ${rule}`;
    return badField(field, `invalid seal configuration: ${why}`, { rule: why });
  };
  if (shares < 1) throw refuse(`${names}_shares`, 'be at least 1');
  if (shares > sharesMax) throw refuse(`${names}_shares`, `be at most ${sharesMax}`);
  if (threshold < 1) throw refuse(`${names}_threshold`, 'be at least 1');
  if (threshold > shares) throw refuse(`${names}_threshold`, `not be greater than ${names}_shares`);
  if (threshold === 1 && shares > 1) throw refuse(`${names}_threshold`, 'be greater than 1 for more than one share');
}

export async function splitKey(key: Uint8Array, rule: ShareRule): Promise<readonly Buffer[]> {
  if (rule.shares === 1) return [Buffer.from(key)];
  // The library refuses a Buffer: it insists on the constructor `Uint8Array`.
  const copy = new Uint8Array(key);
  const shares = await split(copy, rule.shares, rule.threshold);
  copy.fill(0);
  return shares.map((share) => Buffer.from(share));
}

/** @throws Error when two shares have the same coordinate. A wrong set gives a wrong key, not an error. */
export async function combineShares(shares: readonly Buffer[], rule: ShareRule): Promise<Buffer> {
  const [only] = shares;
  if (rule.shares === 1 && only !== undefined) return Buffer.from(only);
  return Buffer.from(await combine(shares.map((share) => new Uint8Array(share))));
}
