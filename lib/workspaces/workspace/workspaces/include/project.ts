import { sql } from 'kysely';
import { timeText, toOne } from '../../../../path/jsonapi/resource.ts';
import { type Include, idsOf } from './including.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly default_execution_mode: string | null;
  readonly default_agent_pool_id: string | null;
  readonly auto_destroy_activity_duration: string | null;
  readonly created_at: Date;
}

export const project: Include = async ({ parts, found }) => {
  const ids = idsOf(found.map(({ workspace }) => workspace.project_id));
  const organizationName = found[0]?.standing.organization.name ?? '';
  const { rows } = await sql<Row>`
    select id, name, description, default_execution_mode, default_agent_pool_id, auto_destroy_activity_duration, created_at
      from ws_projects where id = any((select ${ids}::text[])::text[])`.execute(parts.store.db);
  return { resources: rows.map((row) => viewOf(row, organizationName)) };
};

function viewOf({ id, name, description, ...own }: Row, organizationName: string) {
  const overwrites = own.default_execution_mode !== null;
  return {
    ...{ id, type: 'projects' },
    attributes: {
      ...{ name, description, 'created-at': timeText(own.created_at) },
      'auto-destroy-activity-duration': own.auto_destroy_activity_duration,
      'default-execution-mode': own.default_execution_mode,
      'setting-overwrites': { 'default-execution-mode': overwrites, 'default-agent-pool': overwrites },
    },
    relationships: {
      organization: toOne('organizations', organizationName),
      'default-agent-pool': toOne('agent-pools', own.default_agent_pool_id),
    },
    links: { self: `/api/v2/projects/${id}` },
  };
}
