import { sql, type Transaction } from 'kysely';
import { attributesOf, dataOf, relatedMany } from '../../../path/jsonapi/body.ts';
import { forbidden, invalidAttribute, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { type Standing, standingIn, standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { email } from '../../organization/organizations/fields.ts';
import { lockOwners, mustKeepOwner } from '../teams/owners.ts';
import { readTeams, teamRights } from '../teams/team.ts';
import { type OwnMembership, ownMembership } from './own.ts';
import { membershipResource, readMembership } from './read.ts';
import { usersWithAddresses } from './users.ts';

/**
 * Invites the user of an address into an organization, and into teams: it belongs to them once it has accepted. For an address that no
 * user has, one is noted that cannot do anything until an administrator of the site makes it. The answer is the same for both.
 */
export async function invite({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(standing.may('manage-membership'));
  const sent = attributesOf(call, 'organization-memberships', { email: email() });
  if (sent.email === undefined) throw invalidAttribute('email', "Email can't be blank");
  const address = sent.email;
  const teamIds = await teamsIn(store, standing, call);
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
  const included = await usersWithAddresses(store, [membership], call.caller);
  return { status: 201, data: membershipResource(membership, standing.organization.name), included };
}

/** Teams that the invited is to be in, to which the caller may add members. @throws ApiError 422 */
async function teamsIn(store: WorkspaceParts['store'], standing: Standing, call: ApiCall): Promise<readonly string[]> {
  const sent = (relatedMany(dataOf(call), 'teams') ?? []).map(({ id }) => (typeof id === 'string' ? id : ''));
  if (sent.length > teamsMax) throw unprocessable(`teams may have at most ${teamsMax} entries`);
  const ids = [...new Set(sent)];
  const teams = ids.length === 0 ? [] : await readTeams(store, standing, ids);
  if (teams.length < ids.length || !teams.every((team) => teamRights({ team, standing }).managesMembers))
    throw unprocessable('Team not found, or you are not authorized to use it.');
  return ids;
}

/** Of one invitation. */
const teamsMax = 50;
/** Of one organization. */
const membersMax = 20_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_memberships where organization_id = ${organizationId} offset ${membersMax} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${membersMax} members.`);
}

/** Takes a user out of an organization and of its teams. Members may leave, and the invited may decline; the last owner may not leave. */
export async function removeMembership({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { caller, parameters } = call;
  const id = parameters['membership_id'] ?? '';
  const own = await ownMembership(store, caller, id);
  if (own?.status === 'invited') return decline(store, own);
  const standing = await standingOf(store, caller, sql`(select organization_id from ws_memberships where id = ${id})`);
  const { user_id: userId, status } = await readMembership(store, standing, id);
  mustHave(standing.may('manage-membership') || (caller.kind === 'user' && caller.id === userId));
  const { id: organizationId } = standing.organization;
  await store.transaction(async (tx) => {
    await lockOwners(tx, organizationId);
    const owned = await isOwner(tx, organizationId, userId);
    if (owned && !standing.isOwner && caller.id !== userId) throw forbidden('Owners are removed by owners.');
    await leaveTeams(tx, organizationId, userId);
    const { numAffectedRows } = await sql`delete from ws_memberships where id = ${id}`.execute(tx);
    if (numAffectedRows === 0n) throw notFound();
    if (owned && status === 'active') await mustKeepOwner(tx, organizationId);
  });
}

/** The invited one does not want to. */
async function decline(
  store: WorkspaceParts['store'],
  { id, organization_id, user_id }: OwnMembership,
): Promise<undefined> {
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
