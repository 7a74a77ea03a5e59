import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * TOTP methods, the secrets of entities for them, used codes and failed attempts, enforcements at login, and logins that wait for a
 * code. Rows that belong to an entity, a mount or a secret are deleted with it.
 */
export async function mfa(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const ofSecret = `
  method_id uuid not null,
  entity_id text collate "C" not null,
  foreign key (method_id, entity_id) references mfa_secrets (method_id, entity_id)
    on delete cascade on update cascade`;

const statements = [
  `create table mfa_methods (
     id uuid primary key,
     namespace_id text collate "C" not null default 'root',
     name text collate "C",
     settings jsonb not null,
     removed_at timestamptz,
     unique (namespace_id, name)
   )`,
  'create index mfa_methods_removed on mfa_methods (id) where removed_at is not null',
  `create table mfa_secrets (
     method_id uuid not null references mfa_methods (id) on delete cascade,
     entity_id text collate "C" not null references entities (id) on delete cascade,
     settings jsonb not null,
     secret bytea not null,
     primary key (method_id, entity_id)
   )`,
  'create index mfa_secrets_entity on mfa_secrets (entity_id)',
  `create table mfa_used_codes (
     ${ofSecret},
     step bigint not null,
     expire_at timestamptz not null,
     primary key (method_id, entity_id, step)
   )`,
  'create index mfa_used_codes_expire on mfa_used_codes (expire_at)',
  `create table mfa_attempts (
     ${ofSecret},
     attempts integer not null,
     expire_at timestamptz not null,
     primary key (method_id, entity_id)
   )`,
  'create index mfa_attempts_expire on mfa_attempts (expire_at)',
  `create table mfa_enforcements (
     id uuid primary key,
     namespace_id text collate "C" not null default 'root',
     name text collate "C" not null,
     matches jsonb not null,
     unique (namespace_id, name)
   )`,
  `create table mfa_enforcement_methods (
     enforcement_id uuid not null references mfa_enforcements (id) on delete cascade,
     method_id uuid not null references mfa_methods (id),
     position integer not null,
     primary key (enforcement_id, method_id)
   )`,
  'create index mfa_enforcement_methods_method on mfa_enforcement_methods (method_id)',
  `create table mfa_pending_logins (
     id_hash bytea primary key,
     mount_id uuid not null references mounts (id) on delete cascade,
     entity_id text collate "C" not null references entities (id) on delete cascade,
     login bytea not null,
     expire_at timestamptz not null
   )`,
  'create index mfa_pending_logins_mount on mfa_pending_logins (mount_id)',
  'create index mfa_pending_logins_entity on mfa_pending_logins (entity_id, expire_at)',
  'create index mfa_pending_logins_expire on mfa_pending_logins (expire_at)',
];
