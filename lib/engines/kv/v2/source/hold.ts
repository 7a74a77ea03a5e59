import { sql } from 'kysely';
import type { SecretSource } from '../../../contract.ts';

/**
 * Takes the secret's row and raises its revision: a write that waits for the row, or has looked before, notices that its
 * snapshot is older and begins anew.
 */
export const holdSecret: SecretSource['hold'] = async (tx, mountId, path) => {
  const { rows } = await sql`
    update kv_secrets set revision = revision + 1
     where mount_id = ${mountId}::uuid and path = ${path} returning 1`.execute(tx);
  return rows.length > 0;
};
