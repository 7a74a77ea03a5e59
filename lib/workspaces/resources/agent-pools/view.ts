import { type RawBuilder, sql } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, int, text } from '#store/sql/kinds.ts';
import { wsAgentPoolsTable } from '#store/tables/connections.ts';
import { isReadable } from '../../access/readable.ts';
import type { Standing } from '../../access/standing.ts';
import { liveAgentsOf } from '../agents/store.ts';

export type AgentPoolRow = RowOf<typeof agentPoolRowColumns>;

export const agentPoolRowColumns = {
  ...wsAgentPoolsTable,
  agent_count: int,
  workspaces: arrayOf(text),
  allowed_workspaces: arrayOf(text),
  allowed_projects: arrayOf(text),
  excluded_workspaces: arrayOf(text),
};

/** Workspaces listed in the document of one pool. */
const workspacesMax = 1_000;

const scope = (kind: string, column: string): RawBuilder<unknown> => sql`array(
  select ${sql.ref(column)} from ws_agent_pool_scopes where agent_pool_id = p.id and kind = ${kind} order by 1)`;

/** Columns of the pool `p`, with those of its workspaces that the caller may read. */
export const agentPoolColumns = (standing: Standing): RawBuilder<unknown> => sql`
  p.id, p.organization_id, p.name, p.organization_scoped, p.created_at, ${liveAgentsOf('p')} as agent_count,
  ${scope('allowed-workspaces', 'workspace_id')} as allowed_workspaces,
  ${scope('allowed-projects', 'project_id')} as allowed_projects,
  ${scope('excluded-workspaces', 'workspace_id')} as excluded_workspaces,
  array(select w.id from ws_workspaces w where w.agent_pool_id = p.id and ${isReadable(standing)}
         order by w.id limit ${workspacesMax}) as workspaces`;

/** The document of an agent pool. It counts the agents that live. */
export const agentPoolResource = ({ organization }: Standing, row: AgentPoolRow): Resource => ({
  id: row.id,
  type: 'agent-pools',
  attributes: {
    name: row.name,
    'created-at': timeText(row.created_at),
    'organization-scoped': row.organization_scoped,
    'agent-count': row.agent_count,
  },
  relationships: {
    organization: toOne('organizations', organization.name),
    agents: { links: { related: `/api/v2/agent-pools/${row.id}/agents` } },
    'authentication-tokens': { links: { related: `/api/v2/agent-pools/${row.id}/authentication-tokens` } },
    workspaces: toMany('workspaces', row.workspaces),
    'allowed-workspaces': toMany('workspaces', row.allowed_workspaces),
    'allowed-projects': toMany('projects', row.allowed_projects),
    'excluded-workspaces': toMany('workspaces', row.excluded_workspaces),
  },
  links: { self: `/api/v2/agent-pools/${row.id}` },
});
