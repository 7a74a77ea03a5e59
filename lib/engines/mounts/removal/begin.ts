import { sql, type Transaction } from 'kysely';
import type { Database } from '../../../store/tables.ts';
import { changeTable } from '../insert.ts';

/** A mount that is being emptied, as its removal needs it. */
export interface RemovedMount {
  readonly id: string;
  readonly type: string;
  readonly options: Readonly<Record<string, string>> | null;
}

/**
 * Takes a mount out of the table: from the commit on its path leads nowhere, and another mount may have it. The row stays for what
 * belongs to it, with a path that begins with a character which no path of a request has. Undefined: there is no such mount.
 */
export async function beginMountRemoval(
  tx: Transaction<Database>,
  namespaceId: string,
  path: string,
): Promise<RemovedMount | undefined> {
  const known = tx.selectFrom('mounts').select('id').where('namespace_id', '=', namespaceId).where('path', '=', path);
  if ((await known.executeTakeFirst()) === undefined) return undefined;
  await changeTable(tx);
  const { rows } = await sql<RemovedMount>`
    update mounts set removed_at = now(), removed_path = path, path = chr(1) || id || '/'
     where namespace_id = ${namespaceId} and path = ${path} and removed_at is null
    returning id, type, options`.execute(tx);
  return rows[0];
}
