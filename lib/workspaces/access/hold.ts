import { sql, type Transaction } from 'kysely';
import { notFound } from '../../path/jsonapi/error.ts';
import type { Database } from '../../store/tables.ts';
import type { WorkspaceRow } from './workspace.ts';

/**
 * A workspace as nobody else can change it until the transaction ends. Others can still refer to it.
 *
 * @throws ApiError 404 when it has gone meanwhile
 */
export async function holdWorkspace(tx: Transaction<Database>, id: string): Promise<WorkspaceRow> {
  const { rows } = await sql<WorkspaceRow>`select * from ws_workspaces where id = ${id} for no key update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
