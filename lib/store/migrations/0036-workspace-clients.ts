import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Additions for clients of the workspace service: tokens that can only read the audit trail, who confirmed a run, comments on runs, and
 * tag keys that an organization reserves.
 */
export async function workspaceClients(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = 'id text collate "C" primary key';
const created = 'created_at timestamptz not null default now()';

const statements = [
  // Null: all rights of its owner.
  `alter table ws_tokens add column purpose text check (purpose is null or (purpose = 'audit-trails' and organization_id is not null))`,
  'alter table ws_runs add column confirmed_by_kind text, add column confirmed_by text collate "C"',
  `create table ws_run_comments (
     ${id},
     run_id text collate "C" not null references ws_runs (id) on delete cascade,
     event_id text collate "C" not null references ws_run_events (id) on delete cascade,
     body text not null,
     position bigint generated always as identity,
     ${created}
   )`,
  'create index ws_run_comments_run on ws_run_comments (run_id, position)',
  'create index ws_run_comments_event on ws_run_comments (event_id)',
  `create table ws_reserved_tag_keys (
     ${id},
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     key text collate "C" not null,
     disable_overrides boolean not null default false,
     ${created},
     updated_at timestamptz not null default now(),
     unique (organization_id, key)
   )`,
];
