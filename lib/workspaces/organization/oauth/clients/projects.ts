import { sql, type Transaction } from 'kysely';
import type { JsonObject } from '../../../../core/json.ts';
import { identifiersOf } from '../../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../../path/jsonapi/row.ts';
import type { Database } from '../../../../store/tables.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { withRefusals } from '../../../frame/refusals.ts';
import { managedClient } from './find.ts';
import type { ClientRow } from './view.ts';

/** @throws ApiError 422 for what has no id */
export const projectIdsOf = (related: readonly JsonObject[]): readonly string[] =>
  related.map(({ id }) => {
    if (typeof id !== 'string') throw unprocessable('projects: id has to be a text');
    return id;
  });

/** Names projects that may use a client which is not for the whole organization. */
export async function addProjects({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { client } = await managedClient(store, call);
  const ids = identifiersOf(call, 'projects').map(({ id }) => id);
  await withRefusals({}, () => store.transaction((tx) => bindProjects(tx, client, ids)));
}

/** Those that were not named are passed over. */
export async function removeProjects({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { client } = await managedClient(store, call);
  const ids = identifiersOf(call, 'projects').map(({ id }) => id);
  await sql`
    delete from ws_oauth_client_projects where client_id = ${client.id} and project_id = any(${ids}::text[])`.execute(
    store.db,
  );
}

/** @throws ApiError 422 for projects that the organization does not have */
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
