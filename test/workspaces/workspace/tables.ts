import { sql } from 'kysely';
import { beforeAll } from 'vitest';
import type { WorkspaceGround } from '../ground.ts';

/** Runs and state versions as far as workspaces look at them. Call it at the top of a test file. */
export function withRunsAndStates(ground: WorkspaceGround): void {
  beforeAll(async () => {
    for (const statement of statements) await sql.raw(statement).execute(ground.service.store.db);
  });
}

const common = `
  id text collate "C" primary key,
  workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade,
  status text not null,
  created_at timestamptz not null default now()`;

const statements = [
  `create table if not exists ws_runs (${common})`,
  `create table if not exists ws_state_versions (${common}, serial bigint not null, intermediate boolean not null default false)`,
];
