import { sql } from 'kysely';
import { timeText, toOne } from '../../../../path/jsonapi/resource.ts';
import { effectiveExecution } from '../effective.ts';
import { type Include, type Including, idsOf } from './including.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly organization_scoped: boolean;
  readonly created_at: Date;
}

export const agentPool: Include = async (including) => {
  const ids = poolIds(including);
  const organizationName = including.found[0]?.standing.organization.name ?? '';
  const { rows } = await sql<Row>`
    select id, name, organization_scoped, created_at
      from ws_agent_pools where id = any((select ${ids}::text[])::text[])`.execute(including.parts.store.db);
  const resources = rows.map(({ id, name, organization_scoped, created_at }) => ({
    ...{ id, type: 'agent-pools' },
    attributes: { name, 'created-at': timeText(created_at), 'organization-scoped': organization_scoped },
    relationships: { organization: toOne('organizations', organizationName) },
    links: { self: `/api/v2/agent-pools/${id}` },
  }));
  return { resources };
};

const poolIds = ({ found, facts }: Including) =>
  idsOf(
    found.map(({ workspace, standing }) => {
      const known = facts.get(workspace.id);
      return known === undefined ? null : effectiveExecution(workspace, known, standing.organization).pool;
    }),
  );
