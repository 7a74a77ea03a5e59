import { sql, type Transaction } from 'kysely';
import type { Database } from '../../../store/tables.ts';

/** Takes tags from a workspace, by their ids. Those that no workspace has any more vanish. */
export async function removeTags(
  tx: Transaction<Database>,
  workspaceId: string,
  tagIds: readonly string[],
): Promise<void> {
  await hold(tx, tagIds);
  await sql`delete from ws_workspace_tags where workspace_id = ${workspaceId} and tag_id = any(${tagIds}::text[])`.execute(
    tx,
  );
  await sql`
    delete from ws_tags t where t.id = any(${tagIds}::text[])
       and not exists (select 1 from ws_workspace_tags where tag_id = t.id)`.execute(tx);
}

/** In one order, and before anything is removed: who binds one of them meanwhile waits, and then makes it anew. */
const hold = (tx: Transaction<Database>, tagIds: readonly string[]): Promise<unknown> =>
  sql`select id from ws_tags where id = any(${tagIds}::text[]) order by name for update`.execute(tx);
