import { type RawBuilder, sql } from 'kysely';
import { badRequest, notFound } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { likePattern } from '../../frame/like.ts';
import { adminResource, adminRowColumns } from './view.ts';

/** Organizations in the document of one user. */
const organizationsMax = 1_000;

const columns = sql`u.*, array(
  select o.name from ws_memberships m join ws_organizations o on o.id = m.organization_id
   where m.user_id = u.id and m.status = 'active' and o.removed_at is null order by o.name limit ${organizationsMax}) as organization_names`;

/** @throws ApiError 404 */
export async function adminDocument({ db }: Pick<Store, 'db'>, id: string): Promise<DocumentReply> {
  const { rows } = await rowsOf(adminRowColumns)`select ${columns} from ws_users u where u.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: adminResource(row) };
}

/** A page of the users that meet a condition, ordered by name. */
export async function listUsers(
  { db }: Pick<Store, 'db'>,
  condition: RawBuilder<unknown>,
  page: Page,
): Promise<DocumentReply> {
  const { rows } = await pageRowsOf(adminRowColumns)`
    select x.*, t.total from (select count(*)::int as total from ws_users u where ${condition}) t
      left join lateral (select ${columns} from ws_users u where ${condition}
                          order by lower(u.username) limit ${page.size} offset ${page.offset}) x on true
     order by lower(x.username)`.execute(db);
  return {
    data: rows.flatMap((row) => (row.id === null ? [] : [adminResource(row)])),
    page: pageInfo(page, rows[0]?.total ?? 0),
  };
}

/** Filters of a list of users. */
export const searchParameters = ['q', 'q[name]', 'q[email]', 'filter[admin]', 'filter[suspended]'];

/** The condition on users `u` for the filters. @throws ApiError 400 */
export function userCondition(query: URLSearchParams): RawBuilder<unknown> {
  const [name, email] = [query.get('q') ?? query.get('q[name]'), query.get('q') ?? query.get('q[email]')];
  const either = query.has('q') ? sql`or` : sql`and`;
  return sql`(u.username ilike ${likePattern(name)} ${either} u.email ilike ${likePattern(email)})
    and ${flagged(query, 'filter[admin]', sql`u.site_admin`)} and ${flagged(query, 'filter[suspended]', sql`u.suspended`)}`;
}

/** @throws ApiError 400 for any value other than true and false */
function flagged(query: URLSearchParams, name: string, column: RawBuilder<unknown>): RawBuilder<unknown> {
  const value = query.get(name) || undefined;
  if (value === undefined) return sql`true`;
  if (value !== 'true' && value !== 'false') throw badRequest(`${name} may be true or false`);
  return sql`${column} = ${value === 'true'}`;
}
