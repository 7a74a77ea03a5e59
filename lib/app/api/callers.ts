import { openIdentities } from '../../auth/identity/facts/open.ts';
import { openLeases } from '../../auth/lease/leases.ts';
import { openRemote } from '../../auth/login/remote/remote.ts';
import { methods } from '../../auth/methods/index.ts';
import { enabledMethods, openMethods } from '../../auth/methods/open.ts';
import { renewalLimits } from '../../auth/methods/renewal.ts';
import { loginHolder } from '../../auth/mfa/login/hold.ts';
import { openAcls } from '../../auth/policy/store/acls.ts';
import { openReaper } from '../../auth/token/revoke/reaper.ts';
import type { Config } from '../../core/config.ts';
import { type Log, partOf } from '../../core/log.ts';
import type { NamespaceDirectory } from '../../core/namespace.ts';
import type { CopiedMounts } from '../../engines/mounts/table.ts';
import { openLeaseCapacity } from '../../engines/sys/quotas/index.ts';
import { effectiveLeases, systemLeases } from '../../path/lease-times.ts';
import type { Shared } from '../shared.ts';
import { openMfa } from './mfa.ts';

interface CallerParts {
  readonly config: Config;
  readonly log: Log;
  readonly shared: Shared;
  /** Methods are among what is mounted, so the table comes later. */
  readonly mounts: () => CopiedMounts;
}

export type Callers = ReturnType<typeof openCallers>;

/** Who calls: tokens, identities, policies, and the methods by which people and machines log in. */
export function openCallers({ config, log, shared, mounts }: CallerParts) {
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
    ...{ store, log: partOf(log, 'token'), reaper, leaseCapacity, namespaces, identities },
    holdLogin: loginHolder({ store, identities }),
    renewalLimits: renewalLimits(methods, store, mountAt),
    async leasesAt(path: string, namespaceId: string) {
      const mount = await mountAt(path, namespaceId);
      return mount === undefined ? systemLeases : effectiveLeases(mount.config);
    },
  };
  const methodParts = { ...tokenParts, clock, remote, localAccountDir: config.KEYFERRY_SERVICE_ACCOUNT_DIR };
  return {
    ...{ leaseCapacity, namespaces },
    acls: openAcls(store, identities),
    mfa: openMfa(tokenParts),
    engines: openMethods(methods, methodParts, lockoutRule(config)),
    /** Methods that somebody can enable. */
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
