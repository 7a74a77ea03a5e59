import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, bool, jsonObject, jsonOf, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsTeamsTable } from '#store/tables/organizations.ts';
import { exceeds, givesAll } from './exceeds.ts';
import { organizationFlags } from './levels.ts';
import { organizationAccessById, type Standing } from './standing.ts';

/** A stored team with its members. */
export type TeamRow = RowOf<typeof teamRowColumns>;

export const storedTeamColumns = {
  ...wsTeamsTable,
  /** The team of owners, which has all rights in the organization. There is exactly one, and it always has a member. */
  owners: bool,
  access: jsonOf(z.partialRecord(z.enum(organizationFlags), z.boolean()).readonly()),
  visibility: oneOf('secret', 'organization'),
  settings: jsonObject,
};

export const teamRowColumns = {
  ...storedTeamColumns,
  user_ids: arrayOf(text),
  membership_ids: arrayOf(text),
  /** The team has a right on a workspace or a project that the caller does not have there. */
  exceeds: bool,
};

export interface FoundTeam {
  readonly team: TeamRow;
  readonly standing: Standing;
}

/** Members of one team. Its document names all of them. */
export const membersMax = 1_000;

/** Columns of `TeamRow` for the team `t`. */
export const teamColumns = (standing: Standing): RawBuilder<unknown> => sql`t.*,
  exists (select 1 from ws_grants g where g.team_id = t.id and ${exceeds(standing)}) as exceeds,
  array(select m.user_id from ws_team_members m where m.team_id = t.id order by m.user_id limit ${membersMax}) as user_ids,
  array(select o.id from ws_team_members m join ws_memberships o on o.user_id = m.user_id and o.organization_id = t.organization_id
         where m.team_id = t.id order by m.user_id limit ${membersMax}) as membership_ids`;

/**
 * A team by its id, in two statements.
 *
 * @throws ApiError 404 when it does not exist or the caller may not see it
 */
export async function findTeam(store: Pick<Store, 'db'>, caller: ApiCaller, id: string): Promise<FoundTeam> {
  const standing = await organizationAccessById(
    store,
    caller,
    sql`(select organization_id from ws_teams where id = ${id})`,
  );
  const [team] = await readTeams(store, standing, [id]);
  if (team === undefined) throw notFound();
  return { team, standing };
}

/** The teams of these ids in one organization that the caller may see. */
export async function readTeams(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  ids: readonly string[],
): Promise<readonly TeamRow[]> {
  const { rows } = await rowsOf(teamRowColumns)`
    select ${teamColumns(standing)} from ws_teams t
     where t.id = any((select ${ids}::text[])::text[]) and t.organization_id = ${standing.organization.id}
       and ${isTeamVisible(standing)} order by t.id`.execute(db);
  return rows;
}

/**
 * The rights of the caller on a team. Only owners manage the team of owners. Other callers than owners and teams that manage the access to the
 * organization manage only teams without any right that they do not have themselves, in the organization, on a workspace or on a project.
 */
export function teamRights({ team, standing }: FoundTeam) {
  const { isOwner, caller, teamIds, may } = standing;
  const isMember = caller.kind === 'user' && teamIds.includes(team.id);
  const isInReach =
    isOwner || (!team.owners && (givesAll(standing) || (holdsAll(standing, team.access) && !team.exceeds)));
  return {
    manages: isInReach && may('manage-teams'),
    managesMembers: isInReach && (may('manage-teams') || may('manage-membership')),
    managesTokens:
      (isInReach && may('manage-teams')) || (isMember && team.settings['allow-member-token-management'] !== false),
  };
}

/** Whether the caller has all rights of an access to the organization. */
export const holdsAll = ({ may }: Standing, access: TeamRow['access']): boolean =>
  organizationFlags.every((flag) => access[flag] !== true || may(flag));

/** The condition that the caller may see the team `t`. */
export const isTeamVisible = ({ teamIds, may }: Standing): RawBuilder<unknown> =>
  may('access-secret-teams') || may('manage-organization-access')
    ? sql`true`
    : sql`(t.visibility = 'organization' or t.id = any(${teamIds}::text[]))`;
