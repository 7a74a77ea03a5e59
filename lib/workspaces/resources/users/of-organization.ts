import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsUsersTable } from '#store/tables/organizations.ts';
import { invitedResource, userResource } from './view.ts';

/** The documents of users of one organization. The names of users who have not accepted their invitation are hidden. */
export async function usersOf(
  { db }: Pick<Store, 'db'>,
  ids: readonly string[],
  { caller, organizationId }: { readonly caller: ApiCaller; readonly organizationId: string },
): Promise<readonly Resource[]> {
  const { rows } = await rowsOf({ ...wsUsersTable, accepted: bool })`
    select u.*, exists (select 1 from ws_memberships m
                         where m.user_id = u.id and m.organization_id = ${organizationId} and m.status = 'active') as accepted
      from ws_users u where u.id = any((select ${ids}::text[])::text[]) order by u.id`.execute(db);
  return rows.map((row) => (row.accepted ? userResource(row, caller) : invitedResource(row, caller)));
}
