import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { type Resource, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsMembershipsTable } from '#store/tables/organizations.ts';
import type { Standing } from '../../access/standing.ts';
import { isTeamVisible } from '../../access/team.ts';

/** The membership of a user in an organization, with its teams that the caller may see. */
export type MembershipRow = RowOf<typeof membershipRowColumns>;

export const membershipRowColumns = {
  ...wsMembershipsTable,
  user_id: text,
  status: oneOf('active', 'invited'),
  /** Null until the user has accepted, so that an invitation does not reveal who has the address. */
  username: nullable(text),
  team_ids: arrayOf(text),
};

/** Teams shown of one user in one organization. */
const teamsMax = 1_000;

/** The address in the document of a membership: the invited one until the user accepts, then the user's own. */
export const shownAddress = sql`case when m.status = 'active' then u.email else m.email end`;

/** Columns of `MembershipRow` for the membership `m` of the user `u`, with the visible ones of its teams `t`. */
export const membershipColumns = (isTeamVisible: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  m.id, m.organization_id, m.user_id, m.status, m.created_at, ${shownAddress} as email,
  case when m.status = 'active' then u.username end as username,
  array(select t.id from ws_team_members i join ws_teams t on t.id = i.team_id
         where i.user_id = m.user_id and t.organization_id = m.organization_id and ${isTeamVisible}
         order by t.id limit ${teamsMax}) as team_ids`;

/** The document of a membership. */
export const membershipResource = (row: MembershipRow, organizationName: string): Resource => ({
  id: row.id,
  type: 'organization-memberships',
  attributes: {
    status: row.status,
    email: row.email,
    username: row.username,
    'created-at': row.created_at.toISOString(),
  },
  relationships: {
    organization: toOne('organizations', organizationName),
    user: toOne('users', row.user_id),
    teams: toMany('teams', row.team_ids),
  },
  links: { self: `/api/v2/organization-memberships/${row.id}` },
});

/** The documents of memberships of one organization. */
export async function readMemberships(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  ids: readonly string[],
): Promise<readonly Resource[]> {
  const { rows } = await rowsOf(membershipRowColumns)`
    select ${membershipColumns(isTeamVisible(standing))} from ws_memberships m join ws_users u on u.id = m.user_id
     where m.organization_id = ${standing.organization.id} and m.id = any((select ${ids}::text[])::text[])
     order by m.id`.execute(db);
  return rows.map((row) => membershipResource(row, standing.organization.name));
}

/** One membership of an organization. @throws ApiError 404 */
export async function readMembership(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  id: string,
): Promise<MembershipRow> {
  const { rows } = await rowsOf(membershipRowColumns)`
    select ${membershipColumns(isTeamVisible(standing))} from ws_memberships m join ws_users u on u.id = m.user_id
     where m.organization_id = ${standing.organization.id} and m.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
