import { type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, bool, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type FoundTeam, membersMax } from '../../access/team.ts';

/** How a request names the members. */
export type By = 'users' | 'organization-memberships';

/** The members in a request, without duplicates. */
export interface NamedMembers {
  readonly names: readonly string[];
  readonly by: By;
}

/**
 * Adds members of the organization to a team; present members are ignored. Users must have accepted their invitation: the answer for any
 * other user is the same as for an unknown name. Memberships may also belong to invited users.
 *
 * @throws ApiError 404, 422
 */
export async function addMembers(store: Store, found: FoundTeam, named: NamedMembers): Promise<undefined> {
  const { names, by } = named;
  await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${found.team.id} for no key update`.execute(tx);
    const members = await usersNamed(tx, found, named);
    const missing = names.find((name) => !members.some((one) => isNamed(one, name)));
    if (missing !== undefined) throw notMember(by, missing);
    await sql`
      insert into ws_team_members (team_id, user_id)
      select ${found.team.id}, unnest(${members.map(({ id }) => id)}::text[]) on conflict do nothing`.execute(tx);
    await mustFit(tx, found.team.id);
  });
}

/** Removes members from a team; other users are ignored. */
export async function removeMembers(store: Store, found: FoundTeam, named: NamedMembers): Promise<undefined> {
  await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${found.team.id} for no key update`.execute(tx);
    const members = await usersNamed(tx, found, named);
    const { rows } = await rowsOf({ user_id: text })`
      delete from ws_team_members
       where team_id = ${found.team.id} and user_id = any(${members.map(({ id }) => id)}::text[])
      returning user_id`.execute(tx);
    const gone = rows.map(({ user_id }) => user_id);
    if (found.team.owners && members.some(({ id, active }) => active && gone.includes(id)))
      await mustKeepOwner(tx, found.team.organization_id);
  });
}

type Named = RowOf<typeof namedColumns>;

const namedColumns = {
  id: text,
  /** The names and ids under which a request can name the member. */
  names: arrayOf(text),
  active: bool,
};

const isNamed = ({ names }: Named, name: string): boolean => names.includes(name) || names.includes(name.toLowerCase());

const notMember = (by: By, name: string) =>
  unprocessable(
    by === 'users'
      ? `User "${name}" is not a member of this organization: invite it by its address first`
      : `Membership "${name}" not found`,
  );

/** Members of the team's organization: users who have accepted by name or id, and all memberships by id. */
async function usersNamed(
  tx: Transaction<Database>,
  { team }: FoundTeam,
  { names, by }: NamedMembers,
): Promise<readonly Named[]> {
  const { rows } =
    by === 'users'
      ? await rowsOf(namedColumns)`
          select u.id, array[u.id, lower(u.username)] as names, true as active
            from ws_users u join ws_memberships m on m.user_id = u.id
           where (lower(u.username) = any(${names.map((name) => name.toLowerCase())}::text[]) or u.id = any(${names}::text[]))
             and m.organization_id = ${team.organization_id} and m.status = 'active'
           order by u.id`.execute(tx)
      : await rowsOf(namedColumns)`
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

/** Locks the team of owners, so that two requests cannot remove the last two owners concurrently. */
export const lockOwners = (tx: QueryExecutorProvider, organizationId: string) =>
  sql`select 1 from ws_teams where organization_id = ${organizationId} and owners for no key update`.execute(tx);

/** For a change that has locked the team of owners. @throws ApiError 422 when it leaves the team without an active member */
export async function mustKeepOwner(tx: QueryExecutorProvider, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_teams t join ws_team_members m on m.team_id = t.id
      join ws_memberships s on s.user_id = m.user_id and s.organization_id = t.organization_id and s.status = 'active'
     where t.organization_id = ${organizationId} and t.owners limit 1`.execute(tx);
  if (rows.length === 0) throw unprocessable('The owners team must have at least one member.');
}
