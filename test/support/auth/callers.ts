import { openGatekeeper } from '#auth/gatekeeper.ts';
import { openIdentities } from '#auth/identity/facts/open.ts';
import { openLockout } from '#auth/lockout/lockout.ts';
import { loginOperations } from '#auth/login/operation.ts';
import { openRemote } from '#auth/login/remote/remote.ts';
import type { MethodParts } from '#auth/methods/contract.ts';
import { loginHolder } from '#auth/mfa/login/hold.ts';
import { openAcls } from '#auth/policy/store/acls.ts';
import { openReaper, type Reaper } from '#auth/token/revoke/reaper.ts';
import { type Log, silentLog } from '#core/log/log.ts';
import { onlyRoot } from '#core/namespace.ts';
import { readBounds } from '#network/bounds.ts';
import { systemLeases } from '#path/contract/mount.ts';
import { openLeaseCapacity } from '#quotas/lease-capacity.ts';
import type { Store } from '#store/store.ts';
import { allTypeNames } from '../type-names.ts';

/** Parts that tests may replace. The reaper needs no closing in a test that revokes nothing. */
interface Replaced {
  readonly reaper?: Reaper;
  readonly log?: Log;
}

/** Callers, auth methods and the gatekeeper on a store, composed of the real parts as the service composes them. */
export function callersOn(store: Store, { log = silentLog, reaper = openReaper({ store, log }) }: Replaced = {}) {
  const identities = openIdentities(store);
  const tokenParts = {
    store,
    log,
    reaper,
    identities,
    namespaces: onlyRoot,
    leaseCapacity: openLeaseCapacity(store),
    leasesAt: async () => systemLeases,
    renewalLimits: async () => undefined,
  };
  const methodParts: MethodParts = {
    ...tokenParts,
    clock: store.clock,
    remote: openRemote({ bounds: readBounds(), requestMs: 10_000 }),
    login: loginOperations({ ...tokenParts, holdLogin: loginHolder({ store, identities }) }),
    lockout: openLockout(store, { threshold: 5, seconds: 900, resetSeconds: 900 }),
    localAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  const gatekeeper = openGatekeeper({
    store,
    acls: openAcls({ store, identities, typeNames: allTypeNames }),
    namespaces: onlyRoot,
    seenMountsRevision: () => {},
    requestMsMax: 90_000,
  });
  return { methodParts, gatekeeper };
}
