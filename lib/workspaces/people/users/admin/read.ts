import { type RawBuilder, sql } from 'kysely';
import { badRequest, notFound } from '../../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../../path/jsonapi/row.ts';
import type { Store } from '../../../../store/store.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { likePattern } from '../../../frame/like.ts';
import { type AdminRow, adminResource } from './view.ts';

/** Of one user's document. */
const organizationsMax = 1_000;

const columns = sql`u.*, array(
  select o.name from ws_memberships m join ws_organizations o on o.id = m.organization_id
   where m.user_id = u.id and m.status = 'active' and o.removed_at is null order by o.name limit ${organizationsMax}) as organization_names`;

/** @throws ApiError 404 */
export async function adminDocument({ db }: Pick<Store, 'db'>, id: string): Promise<DocumentReply> {
  const { rows } = await sql<AdminRow>`select ${columns} from ws_users u where u.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: adminResource(row) };
}

/** All users of the site, by name. */
export async function listUsers({ store }: WorkspaceParts, { query }: ApiCall): Promise<DocumentReply> {
  const page = pageOf(query);
  const condition = conditionOf(query);
  const { rows } = await sql<{ total: number } & ({ id: null } | AdminRow)>`
    select x.*, t.total from (select count(*)::int as total from ws_users u where ${condition}) t
      left join lateral (select ${columns} from ws_users u where ${condition}
                          order by lower(u.username) limit ${page.size} offset ${page.offset}) x on true
     order by lower(x.username)`.execute(store.db);
  return {
    data: rows.flatMap((row) => (row.id === null ? [] : [adminResource(row)])),
    page: told(page, rows[0]?.total ?? 0),
  };
}

function conditionOf(query: URLSearchParams): RawBuilder<unknown> {
  const [name, email] = [query.get('q') ?? query.get('q[name]'), query.get('q') ?? query.get('q[email]')];
  const either = query.has('q') ? sql`or` : sql`and`;
  return sql`(u.username ilike ${likePattern(name)} ${either} u.email ilike ${likePattern(email)})
    and ${flagged(query, 'filter[admin]', sql`u.site_admin`)} and ${flagged(query, 'filter[suspended]', sql`u.suspended`)}`;
}

/** @throws ApiError 400 for what is neither true nor false */
function flagged(query: URLSearchParams, name: string, column: RawBuilder<unknown>): RawBuilder<unknown> {
  const value = query.get(name) || undefined;
  if (value === undefined) return sql`true`;
  if (value !== 'true' && value !== 'false') throw badRequest(`${name} may be true or false`);
  return sql`${column} = ${value === 'true'}`;
}
