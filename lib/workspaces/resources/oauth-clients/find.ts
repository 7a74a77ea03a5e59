import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { type ClientRow, clientColumns, clientResource, clientRowColumns } from './view.ts';

type ReadStore = Pick<Store, 'db'>;

/** @throws ApiError 404 when it was deleted meanwhile */
export async function readClient({ db }: ReadStore, id: string): Promise<ClientRow> {
  const { rows } = await rowsOf(clientRowColumns)`
    select ${clientColumns} from ws_oauth_clients c where c.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** A page of the clients of an organization in the order of their creation. */
export async function listClients({ db }: ReadStore, standing: Standing, page: Page): Promise<DocumentReply> {
  const matching = sql`from ws_oauth_clients c where c.organization_id = ${standing.organization.id}`;
  const { rows } = await pageRowsOf(clientRowColumns)`
    select a.total, c.* from (select count(*)::integer as total ${matching}) a
      left join (select ${clientColumns} ${matching} order by c.created_at, c.id
                  limit ${page.size} offset ${page.offset}) c on true
     order by c.created_at, c.id`.execute(db);
  const data = rows.flatMap((row) => (row.id === null ? [] : [clientResource(standing, row)]));
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
}
