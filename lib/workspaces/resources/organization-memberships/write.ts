import { sql, type Transaction } from 'kysely';
import type { JsonObject } from '#core/json/json.ts';
import type { Attributes } from '#path/jsonapi/body.ts';
import { forbidden, invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { FoundMembership } from '../../access/needs/users.ts';
import type { Standing } from '../../access/standing.ts';
import { readTeams, teamRights } from '../../access/team.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { email } from '../organizations/fields.ts';
import { lockOwners, mustKeepOwner } from '../teams/members.ts';
import { membershipResource, readMembership } from '../users/memberships.ts';
import { usersWithAddresses } from './users.ts';

export const invitationFields = { email: email() };

interface Invitation {
  readonly attributes: Attributes<typeof invitationFields>;
  readonly related: { readonly teams: readonly JsonObject[] | undefined };
}

/**
 * Invites a user by address into an organization and into teams; the user joins them by accepting. For an address without a user
 * a placeholder is stored until a site administrator creates the user. The answer is the same in both cases.
 */
export async function invite(
  store: Store,
  standing: Standing,
  { attributes, related }: Invitation,
): Promise<DocumentReply> {
  const { email: address } = attributes;
  if (address === undefined) throw invalidAttribute('email', "Email can't be blank");
  const teamIds = await teamsIn(store, standing, related.teams ?? []);
  const id = newId('ou');
  await withRefusals({ ws_memberships_organization_id_user_id_key: 'email' }, () =>
    store.transaction(async (tx) => {
      await sql`
        insert into ws_users (id, username, email, invited) values (${newId('user')}, ${newId('invited')}, ${address}, true)
            on conflict (lower(email)) where email <> '' do nothing`.execute(tx);
      await sql`
        insert into ws_memberships (id, organization_id, user_id, email, status)
        select ${id}, ${standing.organization.id}, id, lower(${address}), 'invited'
          from ws_users where lower(email) = lower(${address}) for key share`.execute(tx);
      await sql`
        insert into ws_team_members (team_id, user_id)
        select unnest(${teamIds}::text[]), user_id from ws_memberships where id = ${id}`.execute(tx);
      await mustHaveRoom(tx, standing.organization.id);
    }),
  );
  const membership = await readMembership(store, standing, id);
  const included = await usersWithAddresses(store, [membership], standing.caller);
  return { status: 201, data: membershipResource(membership, standing.organization.name), included };
}

/** The teams of an invitation. The caller must have the right to add members to each. @throws ApiError 422 */
async function teamsIn(store: Store, standing: Standing, related: readonly JsonObject[]): Promise<readonly string[]> {
  const sent = related.map(({ id }) => (typeof id === 'string' ? id : ''));
  if (sent.length > teamsMax) throw unprocessable(`teams may have at most ${teamsMax} entries`);
  const ids = [...new Set(sent)];
  const teams = ids.length === 0 ? [] : await readTeams(store, standing, ids);
  if (teams.length < ids.length || !teams.every((team) => teamRights({ team, standing }).managesMembers))
    throw unprocessable('Team not found, or you are not authorized to use it.');
  return ids;
}

/** Teams in one invitation. */
const teamsMax = 50;
/** Members of one organization. */
const membersMax = 20_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_memberships where organization_id = ${organizationId} offset ${membersMax} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${membersMax} members.`);
}

/** Removes a user from an organization and its teams. Members may leave and invited users may decline, but the last owner may not leave. */
export async function removeMembership(store: Store, found: FoundMembership, caller: ApiCaller): Promise<undefined> {
  const { id, user_id: userId, organization_id: organizationId, status, standing } = found;
  if (standing === undefined) return decline(store, found);
  await store.transaction(async (tx) => {
    await lockOwners(tx, organizationId);
    const owned = await isOwner(tx, organizationId, userId);
    if (owned && !standing.isOwner && caller.id !== userId) throw forbidden('Only owners may remove owners.');
    await leaveTeams(tx, organizationId, userId);
    const { numAffectedRows } = await sql`delete from ws_memberships where id = ${id}`.execute(tx);
    if (numAffectedRows === 0n) throw notFound();
    if (owned && status === 'active') await mustKeepOwner(tx, organizationId);
  });
}

/** Deletes an invitation that the user declines. */
async function decline(store: Store, { id, organization_id, user_id }: FoundMembership): Promise<undefined> {
  await store.transaction(async (tx) => {
    await leaveTeams(tx, organization_id, user_id);
    await sql`delete from ws_memberships where id = ${id}`.execute(tx);
  });
}

const leaveTeams = (tx: Transaction<Database>, organizationId: string, userId: string) =>
  sql`
    delete from ws_team_members
     where user_id = ${userId} and team_id in (select id from ws_teams where organization_id = ${organizationId})`.execute(
    tx,
  );

async function isOwner(tx: Transaction<Database>, organizationId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ws_teams t join ws_team_members m on m.team_id = t.id
     where t.organization_id = ${organizationId} and t.owners and m.user_id = ${userId}`.execute(tx);
  return rows.length > 0;
}
