import { openIdentities } from '#auth/identity/facts/open.ts';
import { openLeases } from '#auth/lease/leases.ts';
import { openLockout } from '#auth/lockout/lockout.ts';
import { loginOperations } from '#auth/login/operation.ts';
import { openRemote } from '#auth/login/remote/remote.ts';
import { methods } from '#auth/methods/index.ts';
import { enabledMethods, openMethods } from '#auth/methods/open.ts';
import { renewalLimits } from '#auth/methods/renewal.ts';
import { loginHolder } from '#auth/mfa/login/hold.ts';
import { openAcls } from '#auth/policy/store/acls.ts';
import { openReaper } from '#auth/token/revoke/reaper.ts';
import type { Config } from '#core/config.ts';
import { partOf } from '#core/log/log.ts';
import type { NamespaceDirectory } from '#core/namespace.ts';
import type { CopiedMounts } from '#mounts/contract/mounts.ts';
import { effectiveLeases, systemLeases } from '#path/contract/mount.ts';
import { openLeaseCapacity } from '#quotas/lease-capacity.ts';
import type { Base } from './base.ts';
import { openMfa } from './mfa.ts';

export type Callers = ReturnType<typeof openCallers>;

/** Tokens, identities, policies, and the methods by which users and machines log in. */
export function openCallers({ config, log, shared }: Base, mounts: () => CopiedMounts) {
  const { store, clock, networkBounds } = shared;
  const leaseCapacity = openLeaseCapacity(store);
  const identities = openIdentities(store);
  const reaper = openReaper({ store, log: partOf(log, 'token') });
  const remote = openRemote({ bounds: networkBounds, requestMs: config.KEYFERRY_AUTH_REQUEST_MS_MAX });
  const namespaces: NamespaceDirectory = {
    namespaceOf: (id) => mounts().namespaceOf(id),
    locate: (below, path) => mounts().locate(below, path),
  };
  const mountAt = async (path: string, namespaceId: string) =>
    mounts().resolve(path, await mounts().namespaceOf(namespaceId));
  const tokenParts = {
    store,
    log: partOf(log, 'token'),
    reaper,
    leaseCapacity,
    namespaces,
    identities,
    renewalLimits: renewalLimits(methods, store, mountAt),
    async leasesAt(path: string, namespaceId: string) {
      const mount = await mountAt(path, namespaceId);
      return mount === undefined ? systemLeases : effectiveLeases(mount.config);
    },
  };
  const methodParts = {
    ...tokenParts,
    clock,
    remote,
    login: loginOperations({ ...tokenParts, holdLogin: loginHolder({ store, identities }) }),
    lockout: openLockout(store, lockoutRule(config)),
    localAccountDir: config.KEYFERRY_SERVICE_ACCOUNT_DIR,
  };
  return {
    leaseCapacity,
    namespaces,
    factsOf: identities.factsOf,
    acls: openAcls({ store, identities, typeNames: shared.typeNames }),
    mfa: openMfa(tokenParts),
    engines: openMethods(methods, methodParts),
    /** The methods that can be enabled, without those that every namespace has. */
    enabled: enabledMethods(methods),
    leases: openLeases(tokenParts),
    async close() {
      await reaper.close();
      await remote.close();
    },
  };
}

const lockoutRule = (config: Config) => ({
  threshold: config.KEYFERRY_LOCKOUT_THRESHOLD,
  seconds: config.KEYFERRY_LOCKOUT_SECONDS,
  resetSeconds: config.KEYFERRY_LOCKOUT_RESET_SECONDS,
});
