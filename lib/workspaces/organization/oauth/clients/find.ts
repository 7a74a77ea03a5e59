import { sql } from 'kysely';
import { notFound } from '../../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../../path/jsonapi/row.ts';
import type { Store } from '../../../../store/store.ts';
import { type Standing, standingIn, standingOf } from '../../../access/standing.ts';
import { mustHave } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { type ClientRow, clientColumns, clientResource } from './view.ts';

type ReadStore = Pick<Store, 'db'>;

export interface FoundClient {
  readonly client: ClientRow;
  readonly standing: Standing;
}

/** The client that a path names. @throws ApiError 404: it is not there, or the caller does not belong to its organization */
export async function findClient(store: ReadStore, { caller, parameters }: ApiCall): Promise<FoundClient> {
  const id = parameters['oauth_client_id'] ?? '';
  const organization = sql`(select organization_id from ws_oauth_clients where id = ${id})`;
  const standing = await standingOf(store, caller, organization);
  return { client: await readClient(store, id), standing };
}

/** The same for a change. @throws ApiError 404 also for who does not manage VCS settings */
export async function managedClient(store: ReadStore, call: ApiCall): Promise<FoundClient> {
  const found = await findClient(store, call);
  mustHave(found.standing.may('manage-vcs-settings'));
  return found;
}

/** @throws ApiError 404 when it has gone meanwhile */
export async function readClient({ db }: ReadStore, id: string): Promise<ClientRow> {
  const { rows } = await sql<ClientRow>`select ${clientColumns} from ws_oauth_clients c where c.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** A page of the clients of an organization, in the order in which they were made. */
export async function listClients({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  const matching = sql`from ws_oauth_clients c where c.organization_id = ${standing.organization.id}`;
  const { rows } = await sql<ClientRow & { readonly total: number }>`
    select a.total, c.* from (select count(*)::integer as total ${matching}) a
      left join (select ${clientColumns} ${matching} order by c.created_at, c.id
                  limit ${page.size} offset ${page.offset}) c on true
     order by c.created_at, c.id`.execute(store.db);
  const shown = rows.filter(({ id }) => id !== null);
  return { data: shown.map((row) => clientResource(standing, row)), page: told(page, rows[0]?.total ?? 0) };
}
