import { sql } from 'kysely';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { askedIncludes } from '../../frame/include.ts';
import { readMemberships } from '../memberships/read.ts';
import { invitedResource, type UserRow, userResource } from '../users/view.ts';
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
  const [first] = found;
  const organizationId = first?.team.organization_id ?? '';
  const users = asked.has('users') ? await usersOf(store, userIds, { caller, organizationId }) : [];
  const memberships =
    asked.has('organization_memberships') && first !== undefined
      ? await readMemberships(store, first.standing, membershipIds)
      : [];
  return [...users, ...memberships];
}

/** The documents of users of one organization. One that was invited and has not accepted has no name there. */
export async function usersOf(
  { db }: Pick<Store, 'db'>,
  ids: readonly string[],
  { caller, organizationId }: { readonly caller: ApiCaller; readonly organizationId: string },
): Promise<readonly Resource[]> {
  const { rows } = await sql<UserRow & { readonly accepted: boolean }>`
    select u.*, exists (select 1 from ws_memberships m
                         where m.user_id = u.id and m.organization_id = ${organizationId} and m.status = 'active') as accepted
      from ws_users u where u.id = any((select ${ids}::text[])::text[]) order by u.id`.execute(db);
  return rows.map((row) => (row.accepted ? userResource(row, caller) : invitedResource(row, caller)));
}
