import { type QueryExecutorProvider, sql } from 'kysely';

/** State versions, configuration versions and runs of workspaces, and the files that belong to them. */
export async function workspaceStates(db: QueryExecutorProvider): Promise<void> {
  for (const statement of [...files, ...states, ...runs]) await sql.raw(statement).execute(db);
}

const id = 'id text collate "C" primary key';
const ofWorkspace = 'workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade';
const created = 'created_at timestamptz not null default now()';
/** The order of creation, even for rows with the same timestamp. */
const position = 'position bigint generated always as identity';
const maker = `created_by_kind text,
     created_by text collate "C"`;
const blob = (name: string) => `${name} text collate "C" references ws_blobs (id) on delete set null`;

const files = [
  // The sealed ending holds the number of chunks and bytes, so that truncation is detected.
  `create table ws_blobs (
     ${id},
     ${ofWorkspace},
     kind text not null,
     whole boolean not null default false,
     ending bytea,
     ${created},
     touched_at timestamptz not null default now(),
     check (not whole or ending is not null)
   )`,
  'create index ws_blobs_workspace on ws_blobs (workspace_id)',
  'create index ws_blobs_unfinished on ws_blobs (touched_at) where not whole',
  // Each chunk is sealed for its position.
  `create table ws_blob_chunks (
     blob_id text collate "C" not null references ws_blobs (id) on delete cascade,
     position integer not null,
     data bytea not null,
     primary key (blob_id, position)
   )`,
  // Sealed data cannot be compressed.
  'alter table ws_blob_chunks alter column data set storage external',
];

const states = [
  `create table ws_state_versions (
     ${id},
     ${ofWorkspace},
     serial bigint not null,
     lineage text,
     md5 text,
     status text not null default 'pending',
     intermediate boolean not null default false,
     ${maker},
     run_id text collate "C",
     engine_version text,
     state_format integer,
     size bigint not null default 0,
     resources_processed boolean not null default false,
     resource_count integer not null default 0,
     resources jsonb not null default '[]',
     modules jsonb not null default '{}',
     providers jsonb not null default '{}',
     json_outputs bytea,
     ${blob('state_blob_id')},
     ${blob('json_blob_id')},
     rollback_of text collate "C",
     ${position},
     ${created},
     check (status in ('pending', 'finalized', 'discarded', 'backing_data_soft_deleted', 'backing_data_permanently_deleted'))
   )`,
  'create index ws_state_versions_workspace on ws_state_versions (workspace_id, position)',
  `create index ws_state_versions_pending on ws_state_versions (created_at) where status = 'pending'`,
  'create index ws_state_versions_state_blob on ws_state_versions (state_blob_id)',
  'create index ws_state_versions_json_blob on ws_state_versions (json_blob_id)',
  // The value is always sealed, sensitive or not.
  `create table ws_state_outputs (
     ${id},
     state_version_id text collate "C" not null references ws_state_versions (id) on delete cascade,
     position integer not null,
     name text not null,
     sensitive boolean not null,
     type text not null,
     detailed_type jsonb not null,
     value bytea not null,
     unique (state_version_id, position)
   )`,
];

const runs = [
  `create table ws_configuration_versions (
     ${id},
     ${ofWorkspace},
     status text not null default 'pending',
     source text not null default 'tfe-api',
     auto_queue_runs boolean not null default true,
     speculative boolean not null default false,
     provisional boolean not null default false,
     ${maker},
     timestamps jsonb not null default '{}',
     ${blob('blob_id')},
     ${position},
     ${created},
     check (status in ('pending', 'uploaded', 'archived', 'errored'))
   )`,
  'create index ws_configuration_versions_workspace on ws_configuration_versions (workspace_id, position)',
  'create index ws_configuration_versions_blob on ws_configuration_versions (blob_id)',
  // The settings hold what was requested, under the names of the API; plan and apply hold the results.
  `create table ws_runs (
     ${id},
     ${ofWorkspace},
     status text not null default 'pending',
     configuration_version_id text collate "C" references ws_configuration_versions (id) on delete set null,
     ${maker},
     message text not null default '',
     source text not null default 'tfe-api',
     settings jsonb not null default '{}',
     variables bytea,
     auto_apply boolean not null default false,
     plan_only boolean not null default false,
     timestamps jsonb not null default '{}',
     plan jsonb not null default '{}',
     apply jsonb not null default '{}',
     ${blob('plan_log_id')},
     ${blob('apply_log_id')},
     ${position},
     ${created},
     updated_at timestamptz not null default now()
   )`,
  'create index ws_runs_workspace on ws_runs (workspace_id, position)',
  // Runs that wait or are in progress, which are few.
  `create index ws_runs_active on ws_runs (workspace_id, position)
    where status not in ('applied', 'planned_and_finished', 'planned_and_saved', 'discarded', 'canceled', 'errored')`,
  'create index ws_runs_configuration_version on ws_runs (configuration_version_id)',
  'create index ws_runs_plan_log on ws_runs (plan_log_id)',
  'create index ws_runs_apply_log on ws_runs (apply_log_id)',
  `create table ws_run_events (
     ${id},
     run_id text collate "C" not null references ws_runs (id) on delete cascade,
     action text not null,
     ${maker},
     ${position},
     ${created}
   )`,
  'create index ws_run_events_run on ws_run_events (run_id, position)',
];
