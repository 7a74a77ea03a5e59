import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createPool, updatePool } from './change.ts';
import { findPool } from './find.ts';
import { listPools } from './list.ts';
import { removePool } from './remove.ts';
import { createAgentToken, listAgentTokens, removeAgentToken, showAgentToken } from './tokens.ts';
import { agentPoolResource } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/agent-pools';
const one = '/api/v2/agent-pools/:agent_pool_id';
const tokens = `${one}/authentication-tokens`;

/** Pools of agents that make runs, and the tokens of the agents (reference, workspaces 2). */
export const agentPoolRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: ofOrganization,
    summary: 'Agent pools of an organization',
    run: (call) => listPools(parts, call),
  },
  { method: 'POST', path: ofOrganization, summary: 'Make an agent pool', run: (call) => createPool(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'An agent pool',
    async run(call) {
      const { pool, standing } = await findPool(parts.store, call);
      return { data: agentPoolResource(standing, pool) };
    },
  },
  { method: 'PATCH', path: one, summary: 'Change an agent pool', run: (call) => updatePool(parts, call) },
  { method: 'DELETE', path: one, summary: 'Remove an agent pool', run: (call) => removePool(parts, call) },
  {
    method: 'GET',
    path: `${one}/agents`,
    summary: 'Agents of a pool, which are none: they do not register here',
    async run(call) {
      await findPool(parts.store, call);
      return { data: [], page: { number: 1, size: 20, totalCount: 0 } };
    },
  },
  { method: 'GET', path: tokens, summary: 'Tokens of an agent pool', run: (call) => listAgentTokens(parts, call) },
  { method: 'POST', path: tokens, summary: 'Make a token of agents', run: (call) => createAgentToken(parts, call) },
  {
    method: 'GET',
    path: `${tokens}/:token_id`,
    summary: 'A token of agents, without its text',
    run: (call) => showAgentToken(parts, call),
  },
  {
    method: 'DELETE',
    path: `${tokens}/:token_id`,
    summary: 'End a token of agents',
    run: (call) => removeAgentToken(parts, call),
  },
];
