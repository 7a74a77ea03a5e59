import { type QueryExecutorProvider, sql } from 'kysely';

/** The states of workspaces. */
export async function workspaceStates(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table ws_state_versions (
     id text collate "C" primary key,
     workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade,
     serial bigint not null,
     status text not null,
     intermediate boolean not null default false,
     created_at timestamptz not null default now()
   )`,
  'create index ws_state_versions_workspace on ws_state_versions (workspace_id, serial)',
];
