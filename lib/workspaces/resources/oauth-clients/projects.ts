import { sql, type Transaction } from 'kysely';
import type { JsonObject } from '#core/json/json.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Standing } from '../../access/standing.ts';
import { withRefusals } from '../../frame/refusals.ts';
import type { ClientRow } from './view.ts';

/** @throws ApiError 422 for an entry without an id */
export const projectIdsOf = (related: readonly JsonObject[]): readonly string[] =>
  related.map(({ id }) => {
    if (typeof id !== 'string') throw unprocessable('projects: id must be a string');
    return id;
  });

/** Allows projects to use a client that is not organization-wide. */
export async function addProjects(
  store: Store,
  { organization }: Standing,
  clientId: string,
  projectIds: readonly string[],
): Promise<undefined> {
  const client = { id: clientId, organization_id: organization.id };
  await withRefusals({}, () => store.transaction((tx) => bindProjects(tx, client, projectIds)));
}

/** Projects that are not allowed anyway are ignored. */
export async function removeProjects(
  { db }: Store,
  clientId: string,
  projectIds: readonly string[],
): Promise<undefined> {
  await sql`
    delete from ws_oauth_client_projects where client_id = ${clientId} and project_id = any(${projectIds}::text[])`.execute(
    db,
  );
}

/** @throws ApiError 422 for projects outside the organization */
export async function bindProjects(
  tx: Transaction<Database>,
  client: Pick<ClientRow, 'id' | 'organization_id'>,
  projectIds: readonly string[],
): Promise<void> {
  const wanted = new Set(projectIds);
  if (wanted.size === 0) return;
  const { rows } = await sql`
    select id from ws_projects where organization_id = ${client.organization_id} and id = any(${[...wanted]}::text[])
     order by id for key share`.execute(tx);
  if (rows.length < wanted.size) throw unprocessable('Project not found, or you are not authorized to use it.');
  await sql`
    insert into ws_oauth_client_projects (client_id, project_id)
    select c.id, n.id from ws_oauth_clients c cross join unnest(${[...wanted]}::text[]) n (id) where c.id = ${client.id}
        on conflict do nothing`.execute(tx);
}
