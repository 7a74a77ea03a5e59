import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Assessments of workspaces: their results, and when the sweep begins the next one. Each is a run that no list shows. Workspaces that asked for
 * assessments before are spread over the first day.
 */
export async function assessments(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const counts = [
  ...['resources_drifted', 'resources_undrifted'],
  ...['checks_passed', 'checks_failed', 'checks_errored', 'checks_unknown'],
];

const statements = [
  'alter table ws_runs add column assessment boolean not null default false',
  `create table ws_assessments (
     id text collate "C" primary key,
     workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade,
     run_id text collate "C" not null unique references ws_runs (id) on delete cascade,
     succeeded boolean,
     drifted boolean not null default false,
     ${counts.map((name) => `${name} integer not null default 0,`).join('\n     ')}
     error text,
     created_at timestamptz not null default now()
   )`,
  'create index ws_assessments_workspace on ws_assessments (workspace_id, created_at, id)',
  `create table ws_assessment_schedules (
     workspace_id text collate "C" primary key references ws_workspaces (id) on delete cascade,
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     look_at timestamptz not null
   )`,
  'create index ws_assessment_schedules_look on ws_assessment_schedules (organization_id, look_at)',
  `insert into ws_assessment_schedules (workspace_id, organization_id, look_at)
   select id, organization_id, now() + random() * interval '24 hours' from ws_workspaces
    where settings->'assessments-enabled' = 'true'`,
];
