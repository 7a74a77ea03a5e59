import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { MembershipRow } from '../users/memberships.ts';
import { usersOf } from '../users/of-organization.ts';

/**
 * The users of memberships that the caller may read, with the addresses shown in the memberships: clients look up a membership by
 * address and compare it with the address of the user.
 */
export async function usersWithAddresses(
  store: Pick<Store, 'db'>,
  memberships: readonly Pick<MembershipRow, 'user_id' | 'email' | 'organization_id'>[],
  caller: ApiCaller,
): Promise<readonly Resource[]> {
  const addresses = new Map(memberships.map(({ user_id, email }) => [user_id, email]));
  const organizationId = memberships[0]?.organization_id ?? '';
  const users = await usersOf(store, [...addresses.keys()], { caller, organizationId });
  return users.map((user) => ({ ...user, attributes: { ...user.attributes, email: addresses.get(user.id) ?? null } }));
}
