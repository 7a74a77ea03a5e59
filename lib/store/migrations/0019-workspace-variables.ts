import { type QueryExecutorProvider, sql } from 'kysely';

/** Variables of workspaces, variable sets, and what follows runs: notifications and runs of other workspaces. */
export async function workspaceVariables(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = 'id text collate "C" primary key';
const ofWorkspace = 'workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade';
const ofSet = 'variable_set_id text collate "C" not null references ws_variable_sets (id) on delete cascade';
const created = 'created_at timestamptz not null default now()';

const statements = [
  `create table ws_variable_sets (
     ${id},
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     project_id text collate "C" references ws_projects (id) on delete cascade,
     name text not null,
     description text not null default '',
     global boolean not null default false,
     priority boolean not null default false,
     ${created},
     updated_at timestamptz not null default now()
   )`,
  'create unique index ws_variable_sets_name on ws_variable_sets (organization_id, lower(name))',
  'create index ws_variable_sets_project on ws_variable_sets (project_id)',
  `create table ws_variable_set_workspaces (${ofSet}, ${ofWorkspace}, primary key (variable_set_id, workspace_id))`,
  'create index ws_variable_set_workspaces_workspace on ws_variable_set_workspaces (workspace_id)',
  `create table ws_variable_set_projects (
     ${ofSet},
     project_id text collate "C" not null references ws_projects (id) on delete cascade,
     primary key (variable_set_id, project_id)
   )`,
  'create index ws_variable_set_projects_project on ws_variable_set_projects (project_id)',
  // The value is always sealed, sensitive or not.
  `create table ws_variables (
     ${id},
     workspace_id text collate "C" references ws_workspaces (id) on delete cascade,
     variable_set_id text collate "C" references ws_variable_sets (id) on delete cascade,
     key text collate "C" not null,
     value bytea not null,
     description text not null default '',
     category text not null check (category in ('terraform', 'env')),
     hcl boolean not null default false,
     sensitive boolean not null default false,
     version text collate "C" not null,
     position bigint generated always as identity,
     ${created},
     unique (workspace_id, category, key),
     unique (variable_set_id, category, key),
     check (num_nonnulls(workspace_id, variable_set_id) = 1)
   )`,
  `create table ws_notifications (
     ${id},
     ${ofWorkspace},
     settings jsonb not null,
     token bytea,
     deliveries jsonb not null default '[]',
     ${created},
     updated_at timestamptz not null default now()
   )`,
  'create index ws_notifications_workspace on ws_notifications (workspace_id)',
  // Messages still to be sent; the next attempt begins when it is due.
  `create table ws_deliveries (
     id bigint generated always as identity primary key,
     notification_id text collate "C" not null references ws_notifications (id) on delete cascade,
     payload jsonb not null,
     attempts integer not null default 0,
     due_at timestamptz not null default now()
   )`,
  'create index ws_deliveries_due on ws_deliveries (due_at)',
  'create index ws_deliveries_notification on ws_deliveries (notification_id)',
  `create table ws_run_triggers (
     ${id},
     ${ofWorkspace},
     source_id text collate "C" not null references ws_workspaces (id) on delete cascade,
     ${created},
     unique (workspace_id, source_id),
     check (workspace_id <> source_id)
   )`,
  'create index ws_run_triggers_source on ws_run_triggers (source_id)',
];
