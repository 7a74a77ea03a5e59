import { type NamespaceDirectory, onlyRoot, rootNamespace } from '../core/namespace.ts';
import type { Caller } from '../path/contract/request.ts';
import type { Store } from '../store/store.ts';
import type { Decision, Gatekeeper, TokenRefusal } from './contract.ts';
import { mayAct } from './identity/state.ts';
import { decide } from './policy/decide.ts';
import { type Acls, openAcls } from './policy/store/acls.ts';
import { holderOfRow } from './policy/store/holder.ts';
import { admitted } from './token/find/admitted.ts';
import { mayComeFrom } from './token/find/bound.ts';
import { tokenFinder } from './token/find/find.ts';
import { countUse } from './token/find/store.ts';

export interface GatekeeperParts {
  readonly store: Store;
  /** Absent: nobody else needs them. */
  readonly acls?: Acls;
  /** Called with each look-up: the state of the mount table in the store. */
  readonly seenMountsRevision: (revision: number) => void;
  /** Absent: there is the root alone. */
  readonly namespaces?: NamespaceDirectory;
}

/**
 * Knows callers by their tokens. Every request asks the store, so a revoked token ends at once in all processes, and
 * what a policy says from now on holds; concurrent requests share one round trip.
 */
export function openGatekeeper(parts: GatekeeperParts): Gatekeeper {
  const acls = parts.acls ?? openAcls(parts.store);
  const find = tokenFinder(parts.store);
  const namespaces = parts.namespaces ?? onlyRoot;
  return {
    async authenticate(token, from): Promise<Caller | TokenRefusal> {
      const row = await find(token);
      if (row === undefined) return 'invalid';
      if (!mayAct(row) || !mayComeFrom(row.bound_cidrs, from?.remoteAddress)) return 'unusable';
      if (row.num_uses > 0 && !(await countUse(parts.store, row.hash))) return 'invalid';
      parts.seenMountsRevision(row.mounts_revision);
      acls.seenRevision(row.policies_revision);
      const namespace = await namespaces.namespaceOf(row.namespace_id);
      if (namespace === undefined) return 'invalid';
      const caller = {
        token,
        accessor: row.accessor,
        ...holderOfRow(row, namespace),
        displayName: row.display_name,
        root: row.policies.includes('root'),
        tokenType: row.type === 'batch' ? 'batch' : 'service',
        issued: { time: row.creation_time, ttlSeconds: row.creation_ttl, metadata: row.meta },
      } as const;
      return admitted(caller, row);
    },
    async authorise(caller, need) {
      if (caller.root) return allowedAll;
      return decide(await acls.of(caller), need);
    },
    reaches: async (caller, path) => caller.root || (await acls.of(caller)).touches(path),
    mayEnter: (caller, namespace) => acls.reachInto(caller, namespace),
  };
}

const allowedAll: Decision = {
  ...{ allowed: true, sudo: true, mfaMethods: [] },
  grantedBy: [{ name: 'root', namespaceId: rootNamespace.id }],
};
