import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * This service as a provider of identity tokens: the issuer of a namespace, named signing keys with their versions, and roles. A version
 * is next (published, not used yet), signing, or retired (published until it expires, without its private key).
 */
export async function identityTokens(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const inNamespace = `namespace_id text collate "C" not null default 'root'`;

const statements = [
  `create table oidc_issuers (
     ${inNamespace},
     issuer text not null,
     primary key (namespace_id)
   )`,
  `create table oidc_keys (
     ${inNamespace},
     name text collate "C" not null,
     algorithm text not null,
     rotation_period integer not null,
     verification_ttl integer not null,
     allowed_client_ids text[] not null default '{}',
     next_rotation_at timestamptz not null,
     primary key (namespace_id, name)
   )`,
  'create index oidc_keys_next_rotation on oidc_keys (next_rotation_at)',
  `create table oidc_key_versions (
     id uuid primary key,
     ${inNamespace},
     key text collate "C" not null,
     algorithm text not null,
     state text not null check (state in ('next', 'signing', 'retired')),
     public_key jsonb not null,
     private_key bytea,
     created_at timestamptz not null default now(),
     expire_at timestamptz,
     foreign key (namespace_id, key) references oidc_keys (namespace_id, name) on delete cascade,
     check ((state = 'retired') = (private_key is null)),
     check ((state = 'retired') = (expire_at is not null))
   )`,
  'create index oidc_key_versions_key on oidc_key_versions (namespace_id, key)',
  `create unique index oidc_key_versions_in_use on oidc_key_versions (namespace_id, key, state) where state <> 'retired'`,
  'create index oidc_key_versions_expire on oidc_key_versions (expire_at) where expire_at is not null',
  `create table oidc_roles (
     ${inNamespace},
     name text collate "C" not null,
     key text collate "C" not null,
     template text not null,
     client_id text collate "C" not null,
     ttl integer not null,
     primary key (namespace_id, name),
     foreign key (namespace_id, key) references oidc_keys (namespace_id, name) on delete cascade
   )`,
  'create index oidc_roles_key on oidc_roles (namespace_id, key)',
  ...['oidc_issuers', 'oidc_keys', 'oidc_key_versions', 'oidc_roles'].map(
    (table) => `create trigger ${table}_in_namespace before insert on ${table}
      for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`,
  ),
];
