import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { keyBytes } from '../../encryption/cipher.ts';
import type { Barrier } from '../../store.ts';
import type { Database } from '../../tables.ts';
import { type ShareRule, splitKey } from './shares.ts';

/** The additional data that binds the sealed recovery key to its installation. */
export const recoveryAad = (clusterId: string): string => `seal/recovery_key/${clusterId}`;

/** Stores a recovery key, sealed by the barrier, as the valid one. */
export async function putRecoveryKey(
  tx: Kysely<Database>,
  sealed: Buffer,
  { shares, threshold }: ShareRule,
): Promise<void> {
  const recovery = { recovery_key: sealed, recovery_shares: shares, recovery_threshold: threshold };
  await tx.updateTable('seal').set(recovery).where('id', '=', 1).execute();
}

/** Makes the first recovery key and returns its shares, which exist nowhere else. */
export async function makeRecoveryKey(
  tx: Kysely<Database>,
  barrier: Pick<Barrier, 'seal'>,
  clusterId: string,
  rule: ShareRule,
): Promise<readonly Buffer[]> {
  const key = randomBytes(keyBytes);
  try {
    await putRecoveryKey(tx, barrier.seal(key, recoveryAad(clusterId)), rule);
    return await splitKey(key, rule);
  } finally {
    key.fill(0);
  }
}
