import { sql } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import { document } from '#path/jsonapi/input.ts';
import { paged, readBy, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { operation } from '../../access/needs/operation.ts';
import type { Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { agentPoolFields, createPool, updatePool } from './change.ts';
import { readPool } from './find.ts';
import { listPools, orderOf } from './list.ts';
import { agentPoolResource } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/agent-pools';
const one = '/api/v2/agent-pools/:agent_pool_id';

const body = document({
  type: 'agent-pools',
  attributes: agentPoolFields,
  relationships: {
    'allowed-workspaces': ['workspaces'],
    'allowed-projects': ['projects'],
    'excluded-workspaces': ['workspaces'],
  },
});

/** Pools of agents that execute runs. */
export const agentPoolRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the agent pools of an organization',
    needs: { organization: 'member' },
    query: {
      page: paged(),
      order: readBy(['sort'], (query) => orderOf(query.get('sort') ?? '')),
      q: textQuery('q', 'A part of the name'),
      workspace: textQuery('filter[allowed_workspaces][name]', 'Pools that this workspace may use'),
      project: textQuery('filter[allowed_projects][name]', 'Pools that this project may use'),
    },
    replies: { 200: ['agent-pools'] },
    run: ({ found, query }) => listPools(store, found, query),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Create an agent pool',
    needs: { organization: 'manage-agent-pools' },
    body,
    replies: { 201: 'agent-pools' },
    run: ({ found, body }) => createPool(store, found, body),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read an agent pool',
    needs: { organization: 'member' },
    replies: { 200: 'agent-pools' },
    run: async ({ found, parameters }) => ({
      data: agentPoolResource(found, await readPool(store, found, parameters.agent_pool_id)),
    }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update an agent pool',
    needs: { organization: 'manage-agent-pools' },
    body,
    replies: { 200: 'agent-pools' },
    run: ({ found, parameters, body }) => updatePool(store, found, parameters.agent_pool_id, body),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete an agent pool',
    needs: { organization: 'manage-agent-pools' },
    replies: { 204: null, 422: 'The agent pool is in use' },
    run: ({ found, parameters }) => removePool(store, found, parameters.agent_pool_id),
  }),
];

/** Deletes a pool that nothing uses; its users would have nowhere to run. @throws ApiError 422 when the pool is in use */
async function removePool(
  store: Pick<Store, 'transaction'>,
  { organization }: Standing,
  id: string,
): Promise<undefined> {
  await store.transaction(async (tx) => {
    // Locked before we check for users: a request that chooses this pool meanwhile waits, and then does not find it.
    await sql`select id from ws_agent_pools where id = ${id} for update`.execute(tx);
    const { rows } = await sql`
      select 1 from ws_workspaces where agent_pool_id = ${id}
      union all select 1 from ws_projects
                 where organization_id = ${organization.id} and default_agent_pool_id = ${id}
      union all select 1 from ws_organizations
                 where id = ${organization.id} and default_agent_pool_id = ${id} limit 1`.execute(tx);
    if (rows.length > 0) throw unprocessable('Agent pool is in use and cannot be deleted');
    await sql`delete from ws_agent_pools where id = ${id}`.execute(tx);
  });
}
