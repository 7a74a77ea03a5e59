import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { exceeds, givesAll } from '../../access/exceeds.ts';
import { type OrganizationFlag, organizationFlags } from '../../access/organization-access.ts';
import { type Standing, standingOf } from '../../access/standing.ts';

/** A team as the store has it, and who is in it. */
export interface TeamRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** May everything in the organization. There is one, and it has always somebody in it. */
  readonly owners: boolean;
  readonly access: Readonly<Partial<Record<OrganizationFlag, boolean>>>;
  readonly visibility: 'secret' | 'organization';
  readonly settings: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly user_ids: readonly string[];
  readonly membership_ids: readonly string[];
  /** It was granted more on a workspace or a project than the caller has there. */
  readonly exceeds: boolean;
}

export interface FoundTeam {
  readonly team: TeamRow;
  readonly standing: Standing;
}

/** Of one team: its document names them all. */
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
 * @throws ApiError 404: it is not there, or the caller may not see it
 */
export async function findTeam(store: Pick<Store, 'db'>, caller: ApiCaller, id: string): Promise<FoundTeam> {
  const standing = await standingOf(store, caller, sql`(select organization_id from ws_teams where id = ${id})`);
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
  const { rows } = await sql<TeamRow>`
    select ${teamColumns(standing)} from ws_teams t
     where t.id = any((select ${ids}::text[])::text[]) and t.organization_id = ${standing.organization.id}
       and ${isVisible(standing)} order by t.id`.execute(db);
  return rows;
}

/** Whether the caller may know of the team `t`, as a condition. */
export const isVisible = ({ teamIds, may }: Standing): RawBuilder<unknown> =>
  may('access-secret-teams') || may('manage-organization-access')
    ? sql`true`
    : sql`(t.visibility = 'organization' or t.id = any(${teamIds}::text[]))`;

/**
 * What the caller may do with a team. The team of owners is for owners. Other callers than owners and those that manage the access of
 * the organization reach only teams that have nothing which they do not have themselves: no flag, and no access to a workspace or a
 * project.
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

/** Whether nothing in an access to the organization is more than the caller has itself. */
export const holdsAll = ({ may }: Standing, access: TeamRow['access']): boolean =>
  organizationFlags.every((flag) => access[flag] !== true || may(flag));
