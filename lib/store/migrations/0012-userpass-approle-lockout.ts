import { type QueryExecutorProvider, sql } from 'kysely';

/** The data of an auth mount is deleted with the mount. Passwords and secret ids are stored only as hashes. */
export async function userpassApproleLockout(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table userpass_users (
     mount_id uuid not null references mounts (id) on delete cascade,
     name text collate "C" not null,
     password bytea not null,
     settings jsonb not null,
     updated_at timestamptz not null,
     primary key (mount_id, name)
   )`,
  `create table approle_roles (
     id uuid primary key,
     mount_id uuid not null references mounts (id) on delete cascade,
     name text collate "C" not null,
     role_id text collate "C" not null,
     settings jsonb not null,
     updated_at timestamptz not null,
     unique (mount_id, name),
     unique (mount_id, role_id)
   )`,
  `create table approle_secret_ids (
     role uuid not null references approle_roles (id) on delete cascade,
     hash bytea not null,
     accessor text collate "C" not null,
     num_uses integer not null,
     uses_left integer not null,
     ttl integer not null,
     metadata jsonb not null,
     cidrs text[] not null,
     token_cidrs text[] not null,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     expire_at timestamptz,
     primary key (role, hash),
     unique (role, accessor)
   )`,
  'create index approle_secret_ids_expire_at on approle_secret_ids (expire_at) where expire_at is not null',
  `create table login_failures (
     namespace_id text collate "C" not null default 'root',
     mount_id uuid not null references mounts (id) on delete cascade,
     alias text collate "C" not null,
     failures integer not null,
     failed_at timestamptz not null,
     locked_until timestamptz,
     forget_at timestamptz not null,
     primary key (mount_id, alias)
   )`,
  'create index login_failures_forget_at on login_failures (forget_at)',
];
