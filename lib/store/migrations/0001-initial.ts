import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The tables of `tables.ts`. Choices that hold for all of them:
 * - Identity columns are `bigint`, which `pg` returns as text; counters and durations in seconds are `integer`, which it returns as
 *   numbers. No column needs its own parser.
 * - Names and paths use the collation "C": they sort by bytes whatever the locale of the database, and a prefix is an index range.
 * - Sealed columns use external storage, because encrypted data cannot be compressed. PostgreSQL 15 can set this only on an existing
 *   table.
 */
export async function initial(tx: QueryExecutorProvider): Promise<void> {
  for (const statement of [...mounts, ...tokens, ...secrets, ...sync, ...seal, ...sealedColumns])
    await sql.raw(statement).execute(tx);
}

const mounts = [
  `create table revisions (
     name text primary key,
     revision integer not null default 0
   )`,
  `insert into revisions (name) values ('mounts')`,
  `create table mounts (
     id uuid primary key default gen_random_uuid(),
     path text collate "C" not null unique,
     type text not null,
     accessor text not null unique,
     description text not null,
     options jsonb,
     config jsonb not null,
     local boolean not null,
     seal_wrap boolean not null,
     created_at timestamptz not null default now()
   )`,
];

const tokens = [
  `create table tokens (
     hash bytea primary key,
     accessor text not null unique,
     parent bytea,
     policies text[] not null,
     meta jsonb,
     display_name text not null,
     path text not null,
     type text not null,
     num_uses integer not null,
     period integer not null,
     explicit_max_ttl integer not null,
     creation_ttl integer not null,
     creation_time timestamptz not null,
     expire_at timestamptz,
     last_renewal_at timestamptz,
     renewable boolean not null,
     orphan boolean not null,
     entity_id text not null,
     role text not null,
     bound_cidrs text[] not null
   )`,
  `create index tokens_parent on tokens (parent) where parent is not null`,
  `create index tokens_expire_at on tokens (expire_at) where expire_at is not null`,
];

/** Deleting a mount deletes its secrets, because unreachable data must not remain. */
const secrets = [
  `create table kv_mounts (
     mount_id uuid primary key references mounts (id) on delete cascade,
     max_versions integer not null,
     cas_required boolean not null,
     delete_version_after integer not null
   )`,
  `create table kv_secrets (
     mount_id uuid not null references mounts (id) on delete cascade,
     path text collate "C" not null,
     current_version integer not null,
     oldest_version integer not null,
     created_time timestamptz not null,
     updated_time timestamptz not null,
     max_versions integer not null,
     cas_required boolean not null,
     delete_version_after integer not null,
     custom_metadata bytea,
     revision integer not null default 1,
     primary key (mount_id, path)
   )`,
  `create table kv_versions (
     mount_id uuid not null,
     path text collate "C" not null,
     version integer not null,
     id uuid not null,
     data bytea,
     created_time timestamptz not null,
     deletion_time timestamptz,
     destroyed boolean not null,
     deletion_seen boolean not null,
     primary key (mount_id, path, version),
     foreign key (mount_id, path) references kv_secrets (mount_id, path) on delete cascade
   )`,
  `create index kv_versions_deletion on kv_versions (deletion_time)
     where deletion_time is not null and not deletion_seen`,
];

/** An association outlives its mount: it stays until the copy of its secret has been removed from the destination. */
const sync = [
  `create table sync_config (
     id integer primary key check (id = 1),
     disabled boolean not null,
     queue_capacity integer not null
   )`,
  `insert into sync_config (id, disabled, queue_capacity) values (1, false, 1000000)`,
  `create table destinations (
     id bigint primary key generated always as identity,
     type text collate "C" not null,
     name text collate "C" not null,
     connection bytea not null,
     granularity text not null,
     template text,
     custom_tags jsonb not null,
     network jsonb not null,
     adopt boolean not null,
     revision integer not null default 1,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null,
     purge_initiated_at timestamptz,
     purge_error text,
     unique (type, name)
   )`,
  `create table associations (
     id bigint primary key generated always as identity,
     destination_id bigint not null references destinations (id),
     type text not null,
     mount_id uuid not null,
     mount_path text not null,
     mount_accessor text not null,
     secret_name text collate "C" not null,
     granularity text not null,
     template text not null,
     adopt boolean not null,
     desired text not null check (desired in ('present', 'absent')),
     generation integer not null default 1,
     observed_generation integer not null default 0,
     forced_generation integer not null default 0,
     status text not null,
     error jsonb,
     records jsonb not null,
     attempts integer not null default 0,
     next_attempt_at timestamptz,
     updated_at timestamptz not null,
     dirty_since timestamptz,
     claimed_by text,
     claimed_until timestamptz,
     unique (destination_id, mount_id, secret_name)
   )`,
  `create index associations_secret on associations (secret_name, mount_id)`,
  `create index associations_dirty on associations (id) where generation > observed_generation`,
  `create index associations_next_attempt on associations (next_attempt_at) where next_attempt_at is not null`,
  `create table sync_objects (
     association_id bigint not null references associations (id) on delete cascade,
     destination_id bigint not null references destinations (id),
     sub_key text not null,
     external_name text not null,
     name_key text collate "C" not null,
     mark text not null,
     intended_at timestamptz not null,
     written_at timestamptz,
     remote_version text,
     fingerprint bytea,
     tag_keys text[] not null,
     primary key (association_id, name_key),
     unique (destination_id, name_key)
   )`,
  `create table repo_host_apps (
     name text collate "C" primary key,
     app_id text not null,
     private_key bytea not null,
     fingerprint text not null
   )`,
];

const seal = [
  `create table seal (
     id integer primary key check (id = 1),
     type text not null check (type in ('shamir', 'static')),
     shares integer not null,
     threshold integer not null,
     root_key bytea not null,
     keyring bytea not null,
     cluster_id text not null,
     cluster_name text not null,
     revision integer not null
   )`,
];

const sealedColumns = [
  'alter table kv_secrets alter column custom_metadata set storage external',
  'alter table kv_versions alter column data set storage external',
  'alter table destinations alter column connection set storage external',
  'alter table repo_host_apps alter column private_key set storage external',
];
