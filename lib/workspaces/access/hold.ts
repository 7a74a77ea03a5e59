import { sql, type Transaction } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { type WorkspaceRow, workspaceColumns } from './workspace.ts';

/** The lock for a change allows new references to the workspace; the lock for its removal does not. */
const locks = { change: sql`for no key update`, removal: sql`for update` };

/**
 * Locks a workspace until the transaction ends, and reads its current row.
 *
 * @throws ApiError 404 when it was deleted meanwhile
 */
export async function holdWorkspace(
  tx: Transaction<Database>,
  id: string,
  purpose: keyof typeof locks = 'change',
): Promise<WorkspaceRow> {
  const { rows } = await rowsOf(workspaceColumns)`
    select * from ws_workspaces where id = ${id} ${locks[purpose]}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
