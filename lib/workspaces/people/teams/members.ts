import { sql, type Transaction } from 'kysely';
import { identifiersOf } from '../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { mustKeepOwner } from './owners.ts';
import { type FoundTeam, findTeam, membersMax, teamRights } from './team.ts';

/** How a request names the members. */
type By = 'users' | 'organization-memberships';

/**
 * Adds members of the organization to a team; those that are in it stay. By name they have to have accepted, and other users of the
 * site are answered as names that no user has. By their memberships the invited can be added, too.
 *
 * @throws ApiError 404, 422
 */
export async function addMembers({ store }: WorkspaceParts, call: ApiCall, by: By): Promise<undefined> {
  const found = await findTeam(store, call.caller, call.parameters['team_id'] ?? '');
  mustHave(teamRights(found).managesMembers);
  const names = namesIn(call, by);
  await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${found.team.id} for no key update`.execute(tx);
    const members = await usersNamed(tx, found, { names, by });
    const missing = names.find((name) => !members.some((one) => isNamed(one, name)));
    if (missing !== undefined) throw notMember(by, missing);
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
    const { rows } = await sql<{ user_id: string }>`
      delete from ws_team_members
       where team_id = ${found.team.id} and user_id = any(${members.map(({ id }) => id)}::text[])
      returning user_id`.execute(tx);
    const gone = rows.map(({ user_id }) => user_id);
    if (found.team.owners && members.some(({ id, active }) => active && gone.includes(id)))
      await mustKeepOwner(tx, found.team.organization_id);
  });
}

const namesIn = (call: ApiCall, by: By): readonly string[] => [...new Set(identifiersOf(call, by).map(({ id }) => id))];

interface Named {
  readonly id: string;
  /** By which of the ways the request may mean it. */
  readonly names: readonly string[];
  readonly active: boolean;
}

const isNamed = ({ names }: Named, name: string): boolean => names.includes(name) || names.includes(name.toLowerCase());

const notMember = (by: By, name: string) =>
  unprocessable(
    by === 'users'
      ? `User "${name}" is not a member of this organization: invite it by its address first`
      : `Membership "${name}" not found`,
  );

/** Members of the team's organization: by name or id those that have accepted, by their memberships all. */
async function usersNamed(
  tx: Transaction<Database>,
  { team }: FoundTeam,
  { names, by }: { readonly names: readonly string[]; readonly by: By },
): Promise<readonly Named[]> {
  const { rows } =
    by === 'users'
      ? await sql<Named>`
          select u.id, array[u.id, lower(u.username)] as names, true as active
            from ws_users u join ws_memberships m on m.user_id = u.id
           where (lower(u.username) = any(${names.map((name) => name.toLowerCase())}::text[]) or u.id = any(${names}::text[]))
             and m.organization_id = ${team.organization_id} and m.status = 'active'
           order by u.id`.execute(tx)
      : await sql<Named>`
          select u.id, array[m.id] as names, m.status = 'active' as active from ws_memberships m join ws_users u on u.id = m.user_id
           where m.organization_id = ${team.organization_id} and m.id = any(${names}::text[])
           order by u.id`.execute(tx);
  return rows;
}

async function mustFit(tx: Transaction<Database>, teamId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_team_members where team_id = ${teamId} offset ${membersMax} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`A team may have at most ${membersMax} members.`);
}
