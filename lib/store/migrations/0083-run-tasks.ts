import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Run tasks: external services that runs ask between their parts. A stage of a run has one result for each task of the workspace; a result that
 * is to be asked for has a time, and its token is valid until it ends.
 */
export async function runTasks(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const id = `id text collate "C" primary key`;
const times = 'created_at timestamptz not null default now()';
const stages = `('pre_plan', 'post_plan', 'pre_apply', 'post_apply')`;
const levels = `('advisory', 'mandatory')`;

const statements = [
  `create table ws_organization_tasks (
     ${id},
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     name text not null,
     url text not null,
     description text not null default '',
     hmac_key bytea,
     enabled boolean not null default true,
     origin text not null,
     ${times},
     unique (organization_id, name)
   )`,
  `create table ws_workspace_tasks (
     ${id},
     workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade,
     task_id text collate "C" not null references ws_organization_tasks (id) on delete cascade,
     stages text[] not null,
     enforcement_level text not null check (enforcement_level in ${levels}),
     ${times},
     unique (workspace_id, task_id)
   )`,
  'create index ws_workspace_tasks_task on ws_workspace_tasks (task_id)',
  `create table ws_task_stages (
     ${id},
     run_id text collate "C" not null references ws_runs (id) on delete cascade,
     stage text not null check (stage in ${stages}),
     status text not null default 'running',
     timestamps jsonb not null default '{}',
     ${times},
     updated_at timestamptz not null default now(),
     unique (run_id, stage)
   )`,
  `create table ws_task_results (
     ${id},
     stage_id text collate "C" not null references ws_task_stages (id) on delete cascade,
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     task_id text collate "C" references ws_organization_tasks (id) on delete set null,
     workspace_task_id text not null,
     task_name text not null,
     task_url text not null,
     enforcement_level text not null check (enforcement_level in ${levels}),
     status text not null default 'pending',
     message text not null default '',
     url text not null default '',
     timestamps jsonb not null default '{}',
     hash bytea unique,
     attempts integer not null default 0,
     -- When it is to be asked for; null: not at all, or not any more.
     next_at timestamptz,
     claimed_until timestamptz,
     -- When it ends as errored unless its service reports progress; null: it has ended, or has not been asked for.
     until timestamptz,
     ${times},
     updated_at timestamptz not null default now()
   )`,
  'create index ws_task_results_stage on ws_task_results (stage_id, id)',
  'create index ws_task_results_organization on ws_task_results (organization_id)',
  'create index ws_task_results_task on ws_task_results (task_id)',
  'create index ws_task_results_next on ws_task_results (organization_id, next_at) where next_at is not null',
  'create index ws_task_results_claimed on ws_task_results (organization_id) where claimed_until is not null',
  'create index ws_task_results_until on ws_task_results (until) where until is not null',
];
