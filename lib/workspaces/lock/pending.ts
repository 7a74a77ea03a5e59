import { sql, type Transaction } from 'kysely';
import type { Database } from '../../store/tables.ts';

/**
 * Whether the latest state of a workspace is an intermediate one that has not come whole yet. The workspace has to be locked in the
 * transaction, so that none is added meanwhile.
 */
export async function isStatePending(tx: Transaction<Database>, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ pending: boolean }>`
    select intermediate and status = 'pending' as pending from ws_state_versions
     where workspace_id = ${workspaceId} and status <> 'discarded'
     order by serial desc, created_at desc, id desc limit 1`.execute(tx);
  return rows[0]?.pending === true;
}
