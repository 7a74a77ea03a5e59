import { type NamespaceDirectory, rootNamespace } from '#core/namespace.ts';
import type { Caller } from '#path/contract/request.ts';
import type { Store } from '#store/store.ts';
import { isAddressAllowed } from './cidr.ts';
import type { Decision, Gatekeeper, TokenRefusal } from './contract.ts';
import { decide } from './policy/decide.ts';
import type { Acls } from './policy/store/acls.ts';
import { holderOfRow } from './policy/store/holder.ts';
import { isEntityActive } from './token/find/entity-state.ts';
import { tokenFinder } from './token/find/find.ts';
import { countUse, type TokenRow } from './token/find/store.ts';
import { isWrapping } from './wrapping/take.ts';

export interface GatekeeperParts {
  readonly store: Store;
  /** The longest time that a request may run. A token in its last use is kept as long. */
  readonly requestMsMax: number;
  readonly acls: Acls;
  /** Called with the revision of the mount table in the store that each look-up reads. */
  readonly seenMountsRevision: (revision: number) => void;
  readonly namespaces: NamespaceDirectory;
}

/**
 * Identifies callers by their tokens. Every request asks the store, so revocations and policy changes take effect at once in all
 * processes. Concurrent requests share a round trip.
 */
export function openGatekeeper(parts: GatekeeperParts): Gatekeeper {
  const { acls, namespaces } = parts;
  const find = tokenFinder(parts.store);
  return {
    async authenticate(token, from, purpose): Promise<Caller | TokenRefusal> {
      const found = await find(token);
      if (found === undefined) return 'invalid';
      if (!isEntityActive(found) || !isAddressAllowed(found.bound_cidrs, from?.remoteAddress)) return 'unusable';
      const row = purpose === 'take-reply' && isWrapping(found) ? found : await counted(parts, found);
      if (row === undefined) return 'invalid';
      parts.seenMountsRevision(row.mounts_revision);
      acls.seenRevision(row.policies_revision);
      const namespace = await namespaces.namespaceOf(row.namespace_id);
      if (namespace === undefined) return 'invalid';
      return {
        token,
        accessor: row.accessor,
        ...holderOfRow(row, namespace),
        displayName: row.display_name,
        root: row.policies.includes('root'),
        tokenType: row.type === 'batch' ? 'batch' : 'service',
        issued: { time: row.creation_time, ttlSeconds: row.creation_ttl, metadata: row.meta },
        row,
      };
    },
    async authorise(caller, need) {
      if (caller.root) return allowedAll;
      return decide(await acls.of(caller), need);
    },
    reaches: async (caller, path) => caller.root || (await acls.of(caller)).touches(path),
    mayEnter: (caller, namespace) => acls.reachInto(caller, namespace),
  };
}

/** The token after counting this use. Undefined when it was used up already. */
async function counted({ store, requestMsMax }: GatekeeperParts, row: TokenRow): Promise<TokenRow | undefined> {
  if (row.num_uses === 0) return row;
  const num_uses = await countUse(store, row.hash, requestMsMax);
  return num_uses === undefined ? undefined : { ...row, num_uses };
}

const allowedAll: Decision = {
  allowed: true,
  sudo: true,
  mfaMethods: [],
  grantedBy: [{ name: 'root', namespaceId: rootNamespace.id }],
};
