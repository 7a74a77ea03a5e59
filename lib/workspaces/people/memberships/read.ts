import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import { type Resource, toMany, toOne } from '../../../path/jsonapi/resource.ts';
import type { Store } from '../../../store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { isVisible } from '../teams/team.ts';

/** The membership of a user in an organization, with its teams that the caller may see. */
export interface MembershipRow {
  readonly id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly status: 'active' | 'invited';
  readonly created_at: Date;
  /** Null until the user has accepted: an address does not tell whose it is. */
  readonly username: string | null;
  readonly team_ids: readonly string[];
}

/** Of one user in one organization. */
const teamsMax = 1_000;

/** The address that a membership shows: that of the invitation until it is accepted. */
export const shownAddress = sql`case when m.status = 'active' then u.email else m.email end`;

/** Columns of `MembershipRow` for the membership `m` of the user `u`, with those of its teams `t` that are visible. */
export const membershipColumns = (isTeamVisible: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  m.id, m.organization_id, m.user_id, m.status, m.created_at, ${shownAddress} as email,
  case when m.status = 'active' then u.username end as username,
  array(select t.id from ws_team_members i join ws_teams t on t.id = i.team_id
         where i.user_id = m.user_id and t.organization_id = m.organization_id and ${isTeamVisible}
         order by t.id limit ${teamsMax}) as team_ids`;

/** The document of a membership. */
export const membershipResource = (row: MembershipRow, organizationName: string): Resource => ({
  ...{ id: row.id, type: 'organization-memberships' },
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
  const { rows } = await sql<MembershipRow>`
    select ${membershipColumns(isVisible(standing))} from ws_memberships m join ws_users u on u.id = m.user_id
     where m.organization_id = ${standing.organization.id} and m.id = any((select ${ids}::text[])::text[])
     order by m.id`.execute(db);
  return rows.map((row) => membershipResource(row, standing.organization.name));
}

/** One of them. @throws ApiError 404 */
export async function readMembership(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  id: string,
): Promise<MembershipRow> {
  const { rows } = await sql<MembershipRow>`
    select ${membershipColumns(isVisible(standing))} from ws_memberships m join ws_users u on u.id = m.user_id
     where m.organization_id = ${standing.organization.id} and m.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
