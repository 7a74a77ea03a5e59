import { sql } from 'kysely';
import type { WorkspaceGround } from '../ground.ts';

/** Runs as far as the list of workspaces looks at them. */
export async function createRuns(ground: WorkspaceGround): Promise<void> {
  await sql`create table if not exists ws_runs (
    id text collate "C" primary key,
    workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade,
    status text not null,
    created_at timestamptz not null default now()
  )`.execute(ground.service.store.db);
}
