import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { usersOf } from '../teams/included.ts';
import type { MembershipRow } from './read.ts';

/**
 * The users of memberships that the caller may read, with the addresses that the memberships show: clients look up a membership by
 * its address and compare the one of its user.
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
