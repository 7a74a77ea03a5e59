import { shownCidr } from '../../cidr.ts';
import { type Grants, namesBeside, namesIn } from '../../policy/store/facts.ts';
import type { TokenRow } from '../find/store.ts';

/** What a look-up shows in addition to the row of a token. */
interface Details {
  /** The text of the token; empty when it was found by its accessor. */
  readonly id: string;
  /** The namespace of the token; empty for the root, which clients do not expect in the reply. */
  readonly namespacePath: string;
  /** The policies of its entity. */
  readonly identityPolicies: Grants;
}

/** The reply to a look-up. */
export function tokenView(row: TokenRow, { id, namespacePath, identityPolicies }: Details): object {
  return {
    id,
    accessor: row.accessor,
    policies: row.policies,
    path: row.path,
    meta: row.meta,
    display_name: row.display_name,
    num_uses: row.num_uses,
    orphan: row.orphan,
    creation_time: unixSeconds(row.creation_time),
    creation_ttl: row.creation_ttl,
    expire_time: row.expire_at?.toISOString() ?? null,
    ttl: secondsLeft(row),
    explicit_max_ttl: row.explicit_max_ttl,
    entity_id: row.entity_id,
    type: row.type,
    ...(namespacePath === '' ? {} : { namespace_path: namespacePath }),
    ...(row.entity_id === ''
      ? {}
      : {
          identity_policies: namesIn(identityPolicies, row.namespace_id),
          external_namespace_policies: namesBeside(identityPolicies, row.namespace_id),
        }),
    ...(row.role === '' ? {} : { role: row.role }),
    ...(row.period > 0 ? { period: row.period } : {}),
    ...(row.bound_cidrs.length > 0 ? { bound_cidrs: row.bound_cidrs.map(shownCidr) } : {}),
    renewable: row.renewable,
    issue_time: row.creation_time.toISOString(),
    ...(row.last_renewal_at === null
      ? {}
      : { last_renewal: row.last_renewal_at.toISOString(), last_renewal_time: unixSeconds(row.last_renewal_at) }),
  };
}

/** 0 for a token that does not expire, or that expires within a second. */
export const secondsLeft = ({ expire_at, seen_at }: TokenRow): number =>
  expire_at === null ? 0 : Math.max(0, Math.floor((expire_at.getTime() - seen_at.getTime()) / 1_000));

const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
