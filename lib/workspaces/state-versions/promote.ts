import { sql, type Transaction } from 'kysely';
import type { Database } from '../../store/tables.ts';

/**
 * Makes the latest state of a workspace the current one if it is an intermediate one that is final, as at the end of a lock. The
 * workspace has to be locked.
 */
export async function promoteIntermediate(tx: Transaction<Database>, workspaceId: string): Promise<void> {
  await sql`
    update ws_workspaces w set current_state_version_id = v.id
      from (select id, intermediate from ws_state_versions
             where workspace_id = ${workspaceId} and status = 'finalized'
             order by serial desc, created_at desc, id desc limit 1) v
     where w.id = ${workspaceId} and v.intermediate`.execute(tx);
}
