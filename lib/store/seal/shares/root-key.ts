import { badField } from '#core/errors.ts';
import { openRootKey, type SealRecord } from '../record.ts';
import { combineShares } from './shares.ts';

/** @throws Error when the shares do not belong together, or are not those of this record */
export async function rootKeyByShares(record: SealRecord, shares: readonly Buffer[]): Promise<Buffer> {
  const unsealKey = await combineShares(shares, record);
  try {
    return openRootKey(record, unsealKey);
  } finally {
    unsealKey.fill(0);
  }
}

export const wrongShares = (cause?: unknown) =>
  badField('key', 'the given keys do not unseal this service: start again with the first one', { cause });
