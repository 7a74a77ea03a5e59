import type { Transaction } from 'kysely';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { mountsTable } from '#store/tables/mounts.ts';
import type { Database } from '#store/tables.ts';
import { changeTable } from '../insert.ts';

/** A mount that is being removed. */
export type RemovedMount = RowOf<typeof removedMountColumns>;

export const removedMountColumns = pick(mountsTable, 'id', 'type', 'options');

/**
 * Takes a mount out of the table: after the commit its path is free. The row stays for the data that refers to it, under a path
 * that begins with a character which no request path contains. Undefined when there is no such mount.
 */
export async function beginMountRemoval(
  tx: Transaction<Database>,
  namespaceId: string,
  path: string,
): Promise<RemovedMount | undefined> {
  const known = tx.selectFrom('mounts').select('id').where('namespace_id', '=', namespaceId).where('path', '=', path);
  if ((await known.executeTakeFirst()) === undefined) return undefined;
  await changeTable(tx);
  const { rows } = await rowsOf(removedMountColumns)`
    update mounts set removed_at = now(), removed_path = path, path = chr(1) || id || '/'
     where namespace_id = ${namespaceId} and path = ${path} and removed_at is null
    returning id, type, options`.execute(tx);
  return rows[0];
}
