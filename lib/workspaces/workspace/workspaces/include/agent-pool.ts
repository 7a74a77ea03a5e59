import { sql } from 'kysely';
import { type AgentPoolRow, agentPoolColumns, agentPoolResource } from '../../../organization/agent-pools/view.ts';
import { effectiveExecution } from '../effective.ts';
import { type Include, type Including, idsOf } from './including.ts';

/** The agent pools in which the runs take place, also those of the project or the organization. */
export const agentPool: Include = async (including) => {
  const ids = poolIds(including);
  const [first] = including.found;
  if (first === undefined || ids.length === 0) return { resources: [] };
  const { standing } = first;
  const { rows } = await sql<AgentPoolRow>`
    select ${agentPoolColumns(standing)} from ws_agent_pools p
     where p.id = any((select ${ids}::text[])::text[])`.execute(including.parts.store.db);
  return { resources: rows.map((row) => agentPoolResource(standing, row)) };
};

const poolIds = ({ found, facts }: Including) =>
  idsOf(
    found.map(({ workspace, standing }) => {
      const known = facts.get(workspace.id);
      return known === undefined ? null : effectiveExecution(workspace, known, standing.organization).pool;
    }),
  );
