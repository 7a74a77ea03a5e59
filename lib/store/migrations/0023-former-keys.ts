import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/**
 * Drops the keys that make names unique across all namespaces: no release since 0010 writes by them. Those releases dropped the keys
 * when the first namespace was created, so a database or a backup of an earlier schema may lack them already.
 */
export async function formerKeys(db: QueryExecutorProvider): Promise<void> {
  for (const [table, name] of keys)
    await alterSoon(db, sql`alter table ${sql.table(table)} drop constraint if exists ${sql.id(name)}`);
}

const keys = [
  ['mounts', 'mounts_path_key'],
  ['destinations', 'destinations_type_name_key'],
  ['repo_host_apps', 'repo_host_apps_pkey'],
] as const;
