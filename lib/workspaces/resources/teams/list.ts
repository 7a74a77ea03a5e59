import { sql } from 'kysely';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import { pageRowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { type FoundTeam, isTeamVisible, teamColumns, teamRowColumns } from '../../access/team.ts';
import { likePattern } from '../../frame/like.ts';
import { readMemberships } from '../users/memberships.ts';
import { usersOf } from '../users/of-organization.ts';
import { teamResource } from './view.ts';

export interface TeamQuery {
  readonly page: Page;
  /** A part of the name. */
  readonly q: string | null;
  readonly names: readonly string[];
  readonly include: Included;
}

/** The teams of an organization that the caller may see, ordered by name. */
export async function listTeams(store: Store, standing: Standing, query: TeamQuery): Promise<DocumentReply> {
  const { page, q, names, include } = query;
  const wanted = names.map((name) => name.toLowerCase());
  const condition = sql`t.organization_id = ${standing.organization.id} and ${isTeamVisible(standing)}
    and t.name ilike ${likePattern(q)}
    and ${wanted.length === 0 ? sql`true` : sql`lower(t.name) = any((select ${wanted}::text[])::text[])`}`;
  const { rows } = await pageRowsOf(teamRowColumns)`
    select x.*, n.total from (select count(*)::int as total from ws_teams t where ${condition}) n
      left join lateral (select ${teamColumns(standing)} from ws_teams t where ${condition}
                          order by lower(t.name) limit ${page.size} offset ${page.offset}) x on true
     order by lower(x.name)`.execute(store.db);
  const found = rows.flatMap((row) => (row.id === null ? [] : [{ team: row, standing }]));
  const included = await includedWith(store, include, { caller: standing.caller, found });
  return {
    data: found.map(teamResource),
    ...(included === undefined ? {} : { included }),
    page: pageInfo(page, rows[0]?.total ?? 0),
  };
}

/** The reply about one team. */
export async function showTeam(store: Store, found: FoundTeam, include: Included): Promise<DocumentReply> {
  const included = await includedWith(store, include, { caller: found.standing.caller, found: [found] });
  return { data: teamResource(found), ...(included === undefined ? {} : { included }) };
}

/** The names that `include` may contain. */
export const includable = ['users', 'organization_memberships'] as const;
type Included = ReadonlySet<(typeof includable)[number]>;

/** The requested related resources of teams of one organization, in one statement per kind; undefined without a request. */
async function includedWith(
  store: Pick<Store, 'db'>,
  asked: Included,
  { caller, found }: { readonly caller: ApiCaller; readonly found: readonly FoundTeam[] },
): Promise<readonly Resource[] | undefined> {
  if (asked.size === 0) return undefined;
  const userIds = [...new Set(found.flatMap(({ team }) => team.user_ids))];
  const membershipIds = [...new Set(found.flatMap(({ team }) => team.membership_ids))];
  const [first] = found;
  const organizationId = first?.team.organization_id ?? '';
  const users = asked.has('users') ? await usersOf(store, userIds, { caller, organizationId }) : [];
  const memberships =
    asked.has('organization_memberships') && first !== undefined
      ? await readMemberships(store, first.standing, membershipIds)
      : [];
  return [...users, ...memberships];
}
