import { type QueryExecutorProvider, sql } from 'kysely';

/** What auth methods store for their mounts. Foreign keys delete it together with the mount. */
export async function methodSettings(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table auth_configs (
     mount_id uuid primary key references mounts (id) on delete cascade,
     config bytea not null,
     updated_at timestamptz not null
   )`,
  `create table auth_roles (
     mount_id uuid not null references mounts (id) on delete cascade,
     name text collate "C" not null,
     settings jsonb not null,
     updated_at timestamptz not null,
     primary key (mount_id, name)
   )`,
];
