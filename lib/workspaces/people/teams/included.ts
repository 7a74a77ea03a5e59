import { sql } from 'kysely';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { askedIncludes } from '../../frame/include.ts';
import { readMemberships } from '../memberships/read.ts';
import { type UserRow, userResource } from '../users/view.ts';
import type { FoundTeam } from './team.ts';

const known = ['users', 'organization_memberships'] as const;
type Included = ReadonlySet<(typeof known)[number]>;

/** What is to be included beside teams. @throws ApiError 400 */
export const teamIncludes = (query: URLSearchParams): Included => askedIncludes(query, known);

/** What goes with teams of one organization, in one statement each; nothing was asked for: undefined. */
export async function includedWith(
  store: Pick<Store, 'db'>,
  asked: Included,
  { caller, found }: { readonly caller: ApiCaller; readonly found: readonly FoundTeam[] },
): Promise<readonly Resource[] | undefined> {
  if (asked.size === 0) return undefined;
  const userIds = [...new Set(found.flatMap(({ team }) => team.user_ids))];
  const membershipIds = [...new Set(found.flatMap(({ team }) => team.membership_ids))];
  const users = asked.has('users') ? await usersOf(store, userIds, caller) : [];
  const [first] = found;
  const memberships =
    asked.has('organization_memberships') && first !== undefined
      ? await readMemberships(store, first.standing, membershipIds)
      : [];
  return [...users, ...memberships];
}

/** The documents of users. */
export async function usersOf(
  { db }: Pick<Store, 'db'>,
  ids: readonly string[],
  caller: ApiCaller,
): Promise<readonly Resource[]> {
  const { rows } = await sql<UserRow>`
    select * from ws_users where id = any((select ${ids}::text[])::text[]) order by id`.execute(db);
  return rows.map((row) => userResource(row, caller));
}
