import { type QueryExecutorProvider, sql } from 'kysely';
import { buildIndex, dropIndex } from './concurrent-index.ts';

/**
 * Namespaces. Rows that belong to one have its id in a column `namespace_id`. The keys that releases without namespaces write by
 * (`mounts.path`, `destinations (type, name)`, `repo_host_apps.name`) stay until 0023, so that both releases can run side by side. Each
 * statement may run again.
 */
export async function namespaces(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  for (const index of indexes) await buildIndex(db, index);
  await dropIndex(db, 'tokens_lease');
}

const owned = ['mounts', 'mount_moves', 'tokens', 'destinations', 'repo_host_apps'];

const statements = [
  `create table if not exists namespaces (
     id text collate "C" primary key,
     uuid uuid not null unique default gen_random_uuid(),
     path text collate "C" not null unique,
     custom_metadata jsonb not null,
     unlock_key bytea,
     deleted_at timestamptz
   )`,
  ...owned.map(
    (table) => `alter table ${table} add column if not exists namespace_id text collate "C" not null default 'root'`,
  ),
  'create unique index if not exists mounts_namespace_path on mounts (namespace_id, path)',
  'create unique index if not exists destinations_namespace_name on destinations (namespace_id, type, name)',
  'create unique index if not exists repo_host_apps_namespace_name on repo_host_apps (namespace_id, name)',
];

const indexes = [
  {
    name: 'tokens_namespace_lease',
    on: `tokens (namespace_id, (path || '/') collate "C", hash) where expire_at is not null`,
  },
  { name: 'tokens_namespace', on: `tokens (namespace_id, accessor) where namespace_id <> 'root'` },
];
