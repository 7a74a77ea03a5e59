import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * When the sweep looks at an ephemeral workspace next, which reminders were sent, and the last destroy run. Workspaces whose settings were stored
 * before take part once the settings are stored again: an upgrade must not destroy anything.
 */
export async function autoDestroys(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table ws_auto_destroys (
     workspace_id text collate "C" primary key references ws_workspaces (id) on delete cascade,
     organization_id text collate "C" not null references ws_organizations (id) on delete cascade,
     look_at timestamptz,
     destroy_at timestamptz,
     reminded_hours integer,
     run_id text collate "C" references ws_runs (id) on delete set null,
     failure text
   )`,
  'create index ws_auto_destroys_look on ws_auto_destroys (organization_id, look_at)',
  'create index ws_auto_destroys_run on ws_auto_destroys (run_id)',
];
