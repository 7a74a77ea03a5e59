import { sql, type Transaction } from 'kysely';
import { identifiersOf } from '../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { addMemberships } from '../memberships/write.ts';
import { mustKeepOwner } from './owners.ts';
import { type FoundTeam, findTeam, membersMax, teamRights } from './team.ts';

/** How a request names the members. */
type By = 'users' | 'organization-memberships';

/** Adds members to a team; those that are in it stay. A user that is not in the organization joins it, if the caller may invite. */
export async function addMembers({ store }: WorkspaceParts, call: ApiCall, by: By): Promise<undefined> {
  const found = await findTeam(store, call.caller, call.parameters['team_id'] ?? '');
  mustHave(teamRights(found).managesMembers);
  const names = namesIn(call, by);
  await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${found.team.id} for no key update`.execute(tx);
    const members = await usersNamed(tx, found, { names, by });
    const missing = names.find((name) => !members.some((one) => isNamed(one, name)));
    if (missing !== undefined) throw unprocessable(`${by === 'users' ? 'User' : 'Membership'} "${missing}" not found`);
    await addMemberships(
      tx,
      found.standing.organization.id,
      members.map(({ id }) => id),
    );
    await sql`
      insert into ws_team_members (team_id, user_id)
      select ${found.team.id}, unnest(${members.map(({ id }) => id)}::text[]) on conflict do nothing`.execute(tx);
    await mustFit(tx, found.team.id);
  });
}

/** Takes members out of a team; those that are not in it are ignored. */
export async function removeMembers({ store }: WorkspaceParts, call: ApiCall, by: By): Promise<undefined> {
  const found = await findTeam(store, call.caller, call.parameters['team_id'] ?? '');
  mustHave(teamRights(found).managesMembers);
  const names = namesIn(call, by);
  await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${found.team.id} for no key update`.execute(tx);
    const members = await usersNamed(tx, found, { names, by });
    const { numAffectedRows = 0n } = await sql`
      delete from ws_team_members
       where team_id = ${found.team.id} and user_id = any(${members.map(({ id }) => id)}::text[])`.execute(tx);
    if (found.team.owners && numAffectedRows > 0n) await mustKeepOwner(tx, found.team.organization_id);
  });
}

const namesIn = (call: ApiCall, by: By): readonly string[] => [...new Set(identifiersOf(call, by).map(({ id }) => id))];

interface Named {
  readonly id: string;
  /** By which of the ways the request may mean it. */
  readonly names: readonly string[];
}

const isNamed = ({ names }: Named, name: string): boolean => names.includes(name) || names.includes(name.toLowerCase());

/** Users by name or id, or by their memberships of the team's organization. */
async function usersNamed(
  tx: Transaction<Database>,
  { team, standing }: FoundTeam,
  { names, by }: { readonly names: readonly string[]; readonly by: By },
): Promise<readonly Named[]> {
  const member = sql`exists (select 1 from ws_memberships m where m.user_id = u.id and m.organization_id = ${team.organization_id})`;
  const { rows } =
    by === 'users'
      ? await sql<Named>`
          select u.id, array[u.id, lower(u.username)] as names from ws_users u
           where (lower(u.username) = any(${names.map((name) => name.toLowerCase())}::text[]) or u.id = any(${names}::text[]))
             and (${standing.may('manage-membership')} or ${member})
           order by u.id`.execute(tx)
      : await sql<Named>`
          select u.id, array[m.id] as names from ws_memberships m join ws_users u on u.id = m.user_id
           where m.organization_id = ${team.organization_id} and m.id = any(${names}::text[])
           order by u.id`.execute(tx);
  return rows;
}

async function mustFit(tx: Transaction<Database>, teamId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_team_members where team_id = ${teamId} offset ${membersMax} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`A team may have at most ${membersMax} members.`);
}
