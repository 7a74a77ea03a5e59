import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Entities, their aliases, and groups. Names are compared in lower case, so each is stored with a lower-case key. Entities that were
 * merged into another are recorded, because tokens still refer to them.
 */
export async function identity(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const named = `
  namespace_id text collate "C" not null default 'root',
  name text not null,
  name_key text collate "C" not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null`;

const alias = `
  id text collate "C" primary key,
  mount_accessor text collate "C" not null,
  ${named}`;

const statements = [
  `create table entities (
     id text collate "C" primary key,
     ${named},
     policies text[] not null default '{}',
     disabled boolean not null default false,
     version bigint not null default 1,
     unique (namespace_id, name_key)
   )`,
  'create index entities_metadata on entities using gin (metadata jsonb_path_ops)',
  'create index entities_page on entities (namespace_id, id)',
  `create table entity_aliases (
     ${alias},
     entity_id text collate "C" not null references entities (id) on delete cascade,
     custom_metadata jsonb not null default '{}',
     local boolean not null default false,
     merged_from text[] not null default '{}',
     unique (namespace_id, mount_accessor, name_key),
     unique (entity_id, mount_accessor)
   )`,
  'create index entity_aliases_page on entity_aliases (namespace_id, id)',
  `create table merged_entities (
     from_id text collate "C" primary key,
     to_id text collate "C" not null references entities (id) on delete cascade
   )`,
  'create index merged_entities_to on merged_entities (to_id)',
  `create table identity_groups (
     id text collate "C" primary key,
     ${named},
     type text not null,
     policies text[] not null default '{}',
     unique (namespace_id, name_key)
   )`,
  'create index identity_groups_page on identity_groups (namespace_id, id)',
  `create table group_aliases (
     ${alias},
     group_id text collate "C" not null unique references identity_groups (id) on delete cascade,
     unique (namespace_id, mount_accessor, name_key)
   )`,
  'create index group_aliases_page on group_aliases (namespace_id, id)',
  `create table group_entities (
     entity_id text collate "C" not null references entities (id) on delete cascade,
     group_id text collate "C" not null references identity_groups (id) on delete cascade,
     primary key (entity_id, group_id)
   )`,
  'create index group_entities_group on group_entities (group_id, entity_id)',
  `create table group_groups (
     member_id text collate "C" not null references identity_groups (id) on delete cascade,
     parent_id text collate "C" not null references identity_groups (id) on delete cascade,
     primary key (member_id, parent_id)
   )`,
  'create index group_groups_parent on group_groups (parent_id, member_id)',
  `insert into revisions (name) values ('groups')`,
];
