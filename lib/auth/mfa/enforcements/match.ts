import { canonicalType } from '../../../path/vocabulary.ts';
import type { Enforcement } from './store.ts';

/** A login as enforcements see it. */
export interface MatchedLogin {
  readonly accessor: string;
  /** Of the auth method, by whichever of its names. */
  readonly type: string;
  readonly entityId: string;
  /** Those that it is in directly or by other groups. */
  readonly groupIds: ReadonlySet<string>;
}

/** Whether an enforcement is for a login. */
export function isFor({ matches }: Enforcement, login: MatchedLogin): boolean {
  const type = canonicalType(login.type);
  return (
    matches.auth_method_accessors.includes(login.accessor) ||
    matches.auth_method_types.some((one) => canonicalType(one) === type) ||
    matches.identity_entity_ids.includes(login.entityId) ||
    matches.identity_group_ids.some((id) => login.groupIds.has(id))
  );
}
