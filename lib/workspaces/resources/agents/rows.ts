import { notBlank, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { agentOf, exitAgent, listAgents, readAgent, registerAgent, removeAgent } from './store.ts';

const one = '/api/v2/agents/:agent_id';

const fields = { name: text(255).trim().min(1, notBlank), version: text(64) };

/** Agents: members of the organization see them, and they register with the token of their pool. */
export const agentRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/agent-pools/:agent_pool_id/agents',
    summary: 'List the agents of a pool',
    needs: { organization: 'member' },
    query: { page: paged() },
    replies: { 200: ['agents'] },
    run: ({ parameters, query }) => listAgents(store, parameters.agent_pool_id, query.page),
  }),
  operation({
    method: 'POST',
    path: '/api/v2/agents',
    summary: 'Register an agent with the token of its pool',
    needs: { caller: 'agents' },
    body: document({ type: 'agents', attributes: fields }),
    replies: { 201: 'agents' },
    async run({ caller, body: { attributes }, remoteAddress }) {
      const { name = 'agent', version = '' } = attributes;
      const id = await registerAgent(store, caller.id, {
        name,
        version,
        ip: remoteAddress === '' ? null : remoteAddress,
      });
      return { status: 201, data: agentOf(await readAgent(store, id)) };
    },
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read an agent',
    needs: { organization: 'member' },
    replies: { 200: 'agents' },
    run: async ({ parameters }) => ({ data: agentOf(await readAgent(store, parameters.agent_id)) }),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete an agent that no longer reports',
    needs: { organization: 'manage-agent-pools' },
    replies: { 204: null, 422: 'The agent still reports' },
    run: ({ parameters }) => removeAgent(store, parameters.agent_id),
  }),
  operation({
    method: 'POST',
    path: `${one}/actions/exit`,
    summary: 'Report that an agent takes no more work',
    needs: { agent: 'work' },
    replies: { 204: null },
    async run({ found }) {
      await exitAgent(store, found.id);
      return undefined;
    },
  }),
];
