import { sql } from 'kysely';
import { timeText, toOne } from '../../../../path/jsonapi/resource.ts';
import { type Include, idsOf } from './including.ts';

interface Row {
  readonly id: string;
  readonly workspace_id: string;
  readonly status: string;
  readonly created_at: Date;
}

export const currentRun: Include = async ({ parts, found }) => {
  const ids = idsOf(found.map(({ workspace }) => workspace.current_run_id));
  if (ids.length === 0) return { resources: [] };
  const { rows } = await sql<Row>`
    select id, workspace_id, status, created_at from ws_runs
     where id = any((select ${ids}::text[])::text[])`.execute(parts.store.db);
  const resources = rows.map(({ id, workspace_id, status, created_at }) => ({
    ...{ id, type: 'runs' },
    attributes: { status, 'created-at': timeText(created_at) },
    relationships: { workspace: toOne('workspaces', workspace_id) },
    links: { self: `/api/v2/runs/${id}` },
  }));
  return { resources };
};
