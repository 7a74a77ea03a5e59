import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';
import { buildIndex } from './concurrent-index.ts';

/**
 * Standing rules, which associate secrets as they are written. A trigger notes what a rule has to look at, so every way of writing a
 * secret does, and a statement on a secret that exists costs no more than the comparison of its condition. The lock that the trigger
 * shares with all writers of a mount is taken alone when a rule is stored: the trigger then sees the rule, or the rule's first walk
 * sees the secret. Each statement may run again.
 */
export async function syncRules(db: QueryExecutorProvider): Promise<void> {
  for (const statement of tables) await sql.raw(statement).execute(db);
  await alterSoon(db, sql`alter table associations add column if not exists rule_id bigint`);
  await buildIndex(db, {
    name: 'associations_rule',
    on: 'associations (rule_id, mount_id, secret_name) where rule_id is not null',
  });
  await buildIndex(db, {
    name: 'associations_rule_destination',
    on: 'associations (rule_id, destination_id, mount_id, secret_name) where rule_id is not null',
  });
  await sql.raw(noteFunction).execute(db);
  for (const trigger of triggers) await alterSoon(db, sql.raw(trigger));
}

const tables = [
  `create table if not exists sync_rules (
     id bigint generated always as identity primary key,
     namespace_id text collate "C" not null,
     name text collate "C" not null,
     mount_id uuid not null,
     mount_path text not null,
     prefix text collate "C" not null,
     glob text,
     custom_metadata jsonb not null,
     granularity text,
     template text,
     adopt boolean not null,
     owner jsonb not null,
     revision int not null default 1,
     state text not null default 'active',
     reason text,
     denied_secret text,
     keeps boolean not null default false,
     renews boolean not null default false,
     walk text,
     walk_mount uuid not null default '00000000-0000-0000-0000-000000000000',
     walk_secret text collate "C" not null default '',
     walked int not null default 0,
     total int not null default 0,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     walked_at timestamptz,
     turned_at timestamptz not null default now(),
     unique (namespace_id, name)
   )`,
  'create index if not exists sync_rules_mount on sync_rules (mount_id)',
  `create or replace trigger sync_rules_in_namespace before insert on sync_rules
     for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`,
  `create table if not exists sync_rule_destinations (
     rule_id bigint not null references sync_rules (id) on delete cascade,
     destination_id bigint not null references destinations (id) on delete cascade,
     primary key (rule_id, destination_id)
   )`,
  'create index if not exists sync_rule_destinations_destination on sync_rule_destinations (destination_id)',
  `create table if not exists sync_rule_work (
     mount_id uuid not null,
     id bigint generated always as identity,
     secret_name text collate "C" not null,
     primary key (mount_id, id)
   )`,
];

const noteFunction = `
  create or replace function note_for_sync_rules() returns trigger language plpgsql as $$
  declare
    secret kv_secrets := case when tg_op = 'DELETE' then old else new end;
  begin
    perform pg_advisory_xact_lock_shared(hashtext('sync_rules'), hashtext(secret.mount_id::text));
    if exists (select 1 from sync_rules where mount_id = secret.mount_id) then
      insert into sync_rule_work (mount_id, secret_name) values (secret.mount_id, secret.path);
    end if;
    return null;
  end $$`;

const triggers = [
  `create or replace trigger kv_secrets_made after insert on kv_secrets
     for each row execute function note_for_sync_rules()`,
  `create or replace trigger kv_secrets_described after update on kv_secrets
     for each row when (old.current_version = 0 or old.custom_metadata is distinct from new.custom_metadata)
     execute function note_for_sync_rules()`,
  `create or replace trigger kv_secrets_deleted after delete on kv_secrets
     for each row execute function note_for_sync_rules()`,
];
