import type { Caller } from '../path/row.ts';
import type { Store } from '../store/store.ts';
import type { Decision, Gatekeeper, Need } from './contract.ts';
import { mayComeFrom } from './token/bound.ts';
import { admit, tokenFinder } from './token/find.ts';
import { countUse } from './token/store.ts';

export interface GatekeeperParts {
  readonly store: Store;
  /** Called with each look-up: the state of the mount table in the store. */
  readonly seenMountsRevision: (revision: number) => void;
}

/**
 * Knows callers by their tokens. Every request asks the store, so a revoked token ends at once in all processes; concurrent
 * requests share one round trip.
 */
export function openGatekeeper(parts: GatekeeperParts): Gatekeeper {
  const find = tokenFinder(parts.store);
  return {
    async authenticate(token, from): Promise<Caller | undefined> {
      const row = await find(token);
      if (row === undefined || !mayComeFrom(row.bound_cidrs, from?.remoteAddress)) return undefined;
      if (row.num_uses > 0 && !(await countUse(parts.store, row.hash))) return undefined;
      parts.seenMountsRevision(row.mounts_revision);
      admit(token, row);
      return {
        token,
        accessor: row.accessor,
        policies: row.policies,
        displayName: row.display_name,
        entityId: row.entity_id,
        root: row.policies.includes('root'),
        tokenType: row.type === 'batch' ? 'batch' : 'service',
      };
    },
    authorise: async (caller, need) => {
      if (caller.root) return allowedAll;
      return caller.policies.includes('default') && ownToken(need) ? allowed : denied;
    },
  };
}

const allowedAll: Decision = { allowed: true, sudo: true, mfaMethods: [] };
const allowed: Decision = { allowed: true, sudo: false, mfaMethods: [] };
const denied: Decision = { allowed: false, why: 'no rule matches the path' };

/** What the policy `default` allows of the paths there are: a caller's own token. */
const ownPaths: ReadonlyMap<string, readonly Need['capability'][]> = new Map([
  ['auth/token/lookup-self', ['read', 'update']],
  ['auth/token/renew-self', ['update']],
  ['auth/token/revoke-self', ['update']],
]);

const ownToken = (need: Need): boolean => !need.sudo && ownPaths.get(need.path)?.includes(need.capability) === true;
