import { sql } from 'kysely';
import { attributesOf, dataOf } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { agentPoolFields } from './fields.ts';
import { findPool, readPool } from './find.ts';
import { scopesOf, setScopes } from './scopes.ts';
import { agentPoolResource } from './view.ts';

/** Of one organization. */
const poolsMax = 1_000;
const taken = { ws_agent_pools_name: 'name' };

export async function createPool({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(standing.may('manage-agent-pools'));
  const { name, 'organization-scoped': scoped = true } = attributesOf(call, 'agent-pools', agentPoolFields);
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const scopes = scopesOf(dataOf(call));
  const [id, organizationId] = [newId('apool'), standing.organization.id];
  await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const { rows } = await sql`
        insert into ws_agent_pools (id, organization_id, name, organization_scoped)
        select ${id}, ${organizationId}, ${name}, ${scoped}
         where (select count(*) from ws_agent_pools where organization_id = ${organizationId}) < ${poolsMax}
        returning id`.execute(tx);
      if (rows.length === 0) throw unprocessable(`An organization may have at most ${poolsMax} agent pools`);
      await setScopes(tx, { id, organizationId }, scopes);
    }),
  );
  return { status: 201, data: agentPoolResource(standing, await readPool(store, standing, id)) };
}

/** Changes what the request names and keeps the rest. */
export async function updatePool({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { pool, standing, mayManage } = await findPool(store, call);
  mustHave(mayManage);
  const { name = null, 'organization-scoped': scoped = null } = attributesOf(call, 'agent-pools', agentPoolFields);
  const scopes = scopesOf(dataOf(call));
  await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const { rows } = await sql`
        update ws_agent_pools set name = coalesce(${name}, name), organization_scoped = coalesce(${scoped}, organization_scoped)
         where id = ${pool.id} returning id`.execute(tx);
      if (rows.length === 0) throw notFound();
      await setScopes(tx, { id: pool.id, organizationId: pool.organization_id }, scopes);
    }),
  );
  return { data: agentPoolResource(standing, await readPool(store, standing, pool.id)) };
}
