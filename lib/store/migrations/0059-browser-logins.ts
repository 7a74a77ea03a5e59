import { type QueryExecutorProvider, sql } from 'kysely';

/** Logins by browser that wait for the answer of a provider. A foreign key deletes them together with their mount. */
export async function browserLogins(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table browser_logins (
     state_hash bytea primary key,
     mount_id uuid not null references mounts (id) on delete cascade,
     namespace_id text collate "C" not null,
     stage text not null check (stage in ('open', 'taken', 'proved', 'device')),
     polled boolean not null,
     login bytea not null,
     next_poll_at timestamptz not null,
     expire_at timestamptz not null
   )`,
  'create index browser_logins_mount on browser_logins (mount_id, expire_at)',
  'create index browser_logins_namespace on browser_logins (namespace_id, expire_at)',
  'create index browser_logins_expire on browser_logins (expire_at)',
  `create trigger browser_logins_in_namespace before insert on browser_logins
     for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`,
];
