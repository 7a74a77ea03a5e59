import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import { int, text } from '#store/sql/kinds.ts';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { FoundMembership } from '../../access/needs/users.ts';
import type { Standing } from '../../access/standing.ts';
import { isTeamVisible, teamColumns, teamRowColumns } from '../../access/team.ts';
import { likePattern } from '../../frame/like.ts';
import { organizationDocuments } from '../organizations/document.ts';
import { teamResource } from '../teams/view.ts';
import {
  type MembershipRow,
  membershipColumns,
  membershipResource,
  membershipRowColumns,
  readMembership,
  shownAddress,
} from '../users/memberships.ts';
import { readOwn } from './own.ts';
import { usersWithAddresses } from './users.ts';

export const known = ['user', 'organization', 'teams'] as const;
type Asked = ReadonlySet<(typeof known)[number]>;
type Db = Pick<Store, 'db'>;

/** The memberships of an organization, ordered by address. */
export async function listMemberships(
  store: Db,
  standing: Standing,
  { include, page, filter }: { readonly include: Asked; readonly page: Page; readonly filter: RawBuilder<unknown> },
): Promise<DocumentReply> {
  const condition = sql`m.organization_id = ${standing.organization.id} and ${filter}`;
  const { rows } = await pageRowsOf(membershipRowColumns)`
    select x.*, n.total
      from (select count(*)::int as total from ws_memberships m join ws_users u on u.id = m.user_id where ${condition}) n
      left join lateral (
        select ${membershipColumns(isTeamVisible(standing))} from ws_memberships m join ws_users u on u.id = m.user_id
         where ${condition} order by lower(${shownAddress}), m.id limit ${page.size} offset ${page.offset}) x on true
     order by lower(x.email), x.id`.execute(store.db);
  const found = rows.flatMap((row) => (row.id === null ? [] : [row]));
  const included = await includedWith(store, include, { standing, found });
  return { ...documents(standing, found), ...included, page: pageInfo(page, rows[0]?.total ?? 0) };
}

/** The condition on memberships `m` of users `u` for the filters of a list. @throws ApiError 400 for an unknown status */
export function filters(query: URLSearchParams): RawBuilder<unknown> {
  const emails = (query.get('filter[email]') ?? '').split(',').map((one) => one.trim().toLowerCase());
  const wanted = emails.filter((one) => one !== '');
  const status = query.get('filter[status]') || undefined;
  if (status !== undefined && status !== 'active' && status !== 'invited')
    throw badRequest('filter[status] may be active or invited');
  const search = likePattern(query.get('q'));
  return sql`(${shownAddress} ilike ${search} or (m.status = 'active' and u.username ilike ${search}))
    and ${wanted.length === 0 ? sql`true` : sql`lower(${shownAddress}) = any((select ${wanted}::text[])::text[])`}
    and ${status === undefined ? sql`true` : sql`m.status = ${status}`}`;
}

/** One membership. An invited user may read the invitation before accepting it. */
export async function showMembership(
  store: Db,
  { id, standing }: FoundMembership,
  include: Asked,
): Promise<DocumentReply> {
  if (standing === undefined) {
    const own = await readOwn(store, id);
    return { data: membershipResource(own, own.organization_name) };
  }
  const row = await readMembership(store, standing, id);
  const included = await includedWith(store, include, { standing, found: [row] });
  return { data: membershipResource(row, standing.organization.name), ...included };
}

/** The memberships and invitations of the caller. */
export async function listOwnMemberships({ db }: Db, caller: ApiCaller, page: Page): Promise<DocumentReply> {
  const { rows } = await rowsOf({ ...membershipRowColumns, organization_name: text, total: int })`
    select ${membershipColumns(sql`true`)}, o.name as organization_name, (count(*) over ())::int as total
      from ws_memberships m join ws_users u on u.id = m.user_id
      join ws_organizations o on o.id = m.organization_id and o.removed_at is null
     where m.user_id = ${caller.id} order by m.id limit ${page.size} offset ${page.offset}`.execute(db);
  return {
    data: rows.map((row) => membershipResource(row, row.organization_name)),
    page: pageInfo(page, rows[0]?.total ?? 0),
  };
}

const documents = (standing: Standing, found: readonly MembershipRow[]) => ({
  data: found.map((row) => membershipResource(row, standing.organization.name)),
});

interface Found {
  readonly standing: Standing;
  readonly found: readonly MembershipRow[];
}

/** The requested related resources; without a request there is no `included`. */
async function includedWith(store: Db, asked: Asked, found: Found): Promise<Pick<DocumentReply, 'included'>> {
  return asked.size === 0 ? {} : { included: await related(store, asked, found) };
}

async function related(store: Db, asked: Asked, { standing, found }: Found): Promise<readonly Resource[]> {
  const users = asked.has('user') ? await usersWithAddresses(store, found, standing.caller) : [];
  const teamIds = asked.has('teams') ? [...new Set(found.flatMap(({ team_ids }) => team_ids))] : [];
  const { rows: teams } =
    teamIds.length === 0
      ? { rows: [] }
      : await rowsOf(teamRowColumns)`
          select ${teamColumns(standing)} from ws_teams t
           where t.id = any((select ${teamIds}::text[])::text[])`.execute(store.db);
  return [
    ...users,
    ...teams.map((team) => teamResource({ team, standing })),
    ...(asked.has('organization') ? await organizationDocuments(store, [standing]) : []),
  ];
}
