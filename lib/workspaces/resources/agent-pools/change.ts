import { sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { flag, notBlank, text } from '#path/jsonapi/fields.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { readPool } from './find.ts';
import { type SentScopes, scopesOf, setScopes } from './scopes.ts';
import { agentPoolResource } from './view.ts';

/** Agent pools of one organization. */
const poolsMax = 1_000;
const taken = { ws_agent_pools_name: 'name' };

interface SentPool {
  readonly attributes: Attributes<typeof agentPoolFields>;
  readonly related: SentScopes;
}

export async function createPool(
  store: Store,
  standing: Standing,
  { attributes, related }: SentPool,
): Promise<DocumentReply> {
  const { name, 'organization-scoped': scoped = true } = attributes;
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const scopes = scopesOf(related);
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

/** Updates the attributes that were sent. */
export async function updatePool(
  store: Store,
  standing: Standing,
  id: string,
  { attributes, related }: SentPool,
): Promise<DocumentReply> {
  const { name = null, 'organization-scoped': scoped = null } = attributes;
  const scopes = scopesOf(related);
  await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      const { rows } = await sql`
        update ws_agent_pools set name = coalesce(${name}, name), organization_scoped = coalesce(${scoped}, organization_scoped)
         where id = ${id} returning id`.execute(tx);
      if (rows.length === 0) throw notFound();
      await setScopes(tx, { id, organizationId: standing.organization.id }, scopes);
    }),
  );
  return { data: agentPoolResource(standing, await readPool(store, standing, id)) };
}

/** Attributes of an agent pool in a request. */
export const agentPoolFields = {
  name: text(255).trim().min(1, notBlank),
  'organization-scoped': flag(),
};
