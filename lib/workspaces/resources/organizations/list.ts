import { type RawBuilder, sql } from 'kysely';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { type QueryField, readBy } from '#path/jsonapi/query.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import { int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isOf, organizationAccessByIds } from '../../access/standing.ts';
import { likePattern } from '../../frame/like.ts';
import { organizationDocuments } from './document.ts';

/** Entries of a list that was requested without a page. */
const wholeMax = 1_000;

/** The organizations of the caller, ordered by name. */
export async function listOrganizations(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  { page = whole, searched }: { readonly page: Page | undefined; readonly searched: RawBuilder<unknown> },
): Promise<DocumentReply> {
  const { rows } = await rowsOf({ id: nullable(text), total: int })`
    with matching as (select o.id, o.name from ws_organizations o
                       where o.removed_at is null and ${isOf(caller)} and ${searched})
    select p.id, t.total from (select count(*)::int as total from matching) t
      left join lateral (select id, name from matching order by name, id limit ${page.size} offset ${page.offset}) p on true
     order by p.name, p.id`.execute(store.db);
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  const standings = new Map(
    (await organizationAccessByIds(store, caller, ids)).map((standing) => [standing.organization.id, standing]),
  );
  const found = ids.flatMap((id) => standings.get(id) ?? []);
  const data = await organizationDocuments(store, found);
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
}

const whole: Page = { number: 1, size: wholeMax, offset: 0 };

/** `q` searches names and addresses, `q[name]` and `q[email]` one of them. */
export const search: QueryField<RawBuilder<unknown>> = readBy(['q', 'q[name]', 'q[email]'], isSearched);

function isSearched(query: URLSearchParams): RawBuilder<unknown> {
  const [any, name, email] = ['q', 'q[name]', 'q[email]'].map((key) => likePattern(query.get(key)));
  return sql`(o.name ilike ${any} or o.email ilike ${any}) and o.name ilike ${name} and o.email ilike ${email}`;
}
