import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Commits that were announced for workspaces. Each belongs to a configuration version that waits until the repository was fetched; the row
 * stays as long as that version, since it describes the commit.
 */
export async function ingresses(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table ws_oauth_clients add column webhook_secret bytea',
  'alter table ws_configuration_versions add column error_message text',
  `create table ws_ingresses (
     id text collate "C" primary key,
     configuration_version_id text collate "C" not null unique
       references ws_configuration_versions (id) on delete cascade,
     workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade,
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     -- Tells the same announcement from another one.
     delivery text not null,
     request jsonb not null,
     commit_sha text,
     attributes jsonb not null default '{}',
     changed_files jsonb not null default '[]',
     run_id text collate "C" references ws_runs (id) on delete set null,
     -- Null: it was fetched, or refused.
     next_at timestamptz,
     claimed_until timestamptz,
     attempts integer not null default 0,
     -- Null: the commit gets no further status.
     status_at timestamptz,
     status_sent text,
     status_failures integer not null default 0,
     position bigint generated always as identity,
     created_at timestamptz not null default now(),
     unique (workspace_id, delivery)
   )`,
  'create index ws_ingresses_workspace on ws_ingresses (workspace_id, position)',
  `create index ws_ingresses_waiting on ws_ingresses (workspace_id, position) where next_at is not null`,
  'create index ws_ingresses_next on ws_ingresses (organization_id, next_at) where next_at is not null',
  'create index ws_ingresses_status on ws_ingresses (organization_id, status_at) where status_at is not null',
  'create index ws_ingresses_run on ws_ingresses (run_id)',
];
