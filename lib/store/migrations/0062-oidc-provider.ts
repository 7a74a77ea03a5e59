import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * This service as an OpenID Connect provider for other systems: assignments, scopes and providers, whose settings are JSON; clients;
 * codes of logins that are not completed yet; access tokens.
 */
export async function oidcProvider(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const inNamespace = `namespace_id text collate "C" not null default 'root'`;
const ofLogin = `
  hash bytea primary key,
  client_id text collate "C" not null references oidc_clients (client_id) on delete cascade,
  entity_id text collate "C" not null references entities (id) on delete cascade`;
const indexes = (table: string) => [
  `create index ${table}_client on ${table} (client_id)`,
  `create index ${table}_entity on ${table} (entity_id, expire_at)`,
  `create index ${table}_expire on ${table} (expire_at)`,
];

const statements = [
  `create table oidc_settings (
     ${inNamespace},
     kind text collate "C" not null check (kind in ('assignment', 'provider', 'scope')),
     name text collate "C" not null,
     settings jsonb not null,
     primary key (namespace_id, kind, name)
   )`,
  `create table oidc_clients (
     ${inNamespace},
     name text collate "C" not null,
     client_id text collate "C" not null unique,
     key text collate "C" not null,
     secret bytea,
     settings jsonb not null,
     primary key (namespace_id, name),
     foreign key (namespace_id, key) references oidc_keys (namespace_id, name) on delete cascade
   )`,
  'create index oidc_clients_key on oidc_clients (namespace_id, key)',
  `create table oidc_codes (
     ${ofLogin},
     login bytea not null,
     expire_at timestamptz not null
   )`,
  ...indexes('oidc_codes'),
  `create table oidc_access_tokens (
     ${ofLogin},
     provider text not null,
     scopes text[] not null,
     expire_at timestamptz not null
   )`,
  ...indexes('oidc_access_tokens'),
  ...['oidc_settings', 'oidc_clients'].map(
    (table) => `create trigger ${table}_in_namespace before insert on ${table}
      for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`,
  ),
];
