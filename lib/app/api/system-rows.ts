import type { Transaction } from 'kysely';
import { groupApplicationRow } from '#auth/identity/rows/application.ts';
import { lockoutRows } from '#auth/lockout/rows.ts';
import { passwordPolicyRows } from '#auth/password-policy/rows.ts';
import { policyRows } from '#auth/policy/rows/index.ts';
import { mintRootToken } from '#auth/token/issue/mint.ts';
import { capabilityRows } from '#auth/token/rows/capabilities.ts';
import { policyTestRow } from '#auth/token/rows/policy-test.ts';
import { wrappingRows } from '#auth/wrapping/rows.ts';
import type { Config } from '#core/config.ts';
import { engines } from '#engines/index.ts';
import type { InFlight } from '#http/server/observe/in-flight.ts';
import type { CopiedMounts } from '#mounts/contract/mounts.ts';
import { openNamespaces } from '#mounts/namespaces/namespaces.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Row } from '#path/contract/row.ts';
import type { RateLimits } from '#quotas/limits.ts';
import type { Database } from '#store/tables.ts';
import { configRows } from '#system/config/index.ts';
import type { Reloads } from '#system/config/reload.ts';
import { diagnosisRows } from '#system/diagnosis/index.ts';
import { metricsRow } from '#system/diagnosis/metrics.ts';
import { activationRows, messageRows } from '#system/fixed-replies.ts';
import { keyRows } from '#system/keys/index.ts';
import { leaseRows } from '#system/leases/index.ts';
import { mountRows } from '#system/mounts/index.ts';
import { namespaceRows } from '#system/namespaces/index.ts';
import { quotaRows } from '#system/quotas/index.ts';
import { sealRows } from '#system/seal/index.ts';
import { specsRow } from '#system/specs/index.ts';
import { toolRows } from '#system/tools/index.ts';
import { loanTelemetry } from '#telemetry/loans.ts';
import type { Shared } from '../shared.ts';
import type { Base } from './base.ts';
import type { Callers } from './callers.ts';
import { diagnosisParts } from './diagnosis.ts';
import { firstRoot } from './first-start.ts';

interface SystemParts extends Base {
  readonly callers: Callers;
  readonly mounts: CopiedMounts;
  readonly inFlight: InFlight;
  readonly rateLimits: RateLimits;
  readonly reloads: Reloads;
}

/** The rows of `sys/`, except those of the sync, the audit devices and the OpenAPI document. */
export function systemRows(parts: SystemParts): readonly Row[] {
  const { config, log, shared, callers, mounts, inFlight, rateLimits, reloads } = parts;
  const { store, clock, changed, metrics, typeNames } = shared;
  const { leases, leaseCapacity, enabled, acls, factsOf, namespaces } = callers;
  const hasRoles = (type: string) => callers.engines.some((one) => one.type === type && one.loginRole !== undefined);
  const quotasChanged = () => {
    leaseCapacity.forget();
    rateLimits.forget();
  };
  return [
    ...diagnosisRows({ ...diagnosisParts(store, config), levels: log.levels, requests: inFlight.list }),
    ...sealRows({
      seal: store.seal,
      clock,
      reachable: () => store.reachable(),
      mintRootToken: firstRoot(store, 'production'),
      lent: loanTelemetry(metrics),
    }),
    ...keyRows({
      seal: store.seal,
      attempts: store.keyAttempts,
      mintRootToken: (tx: Transaction<Database>) => mintRootToken({ db: tx, barrier: store.barrier }),
      attemptsNeedToken: config.KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN,
    }),
    ...mountRows({
      changed,
      mounts,
      engines,
      methods: enabled,
      revokeBelow: (namespace, path, signal) => leases(namespace).revokePrefix(path, signal),
    }),
    ...namespaceRows({ changed, namespaces: openNamespaces({ store, engines, mounts }) }),
    ...activationRows,
    ...wrappingRows({ store }),
    ...toolRows(),
    ...configRows(store, shownConfig(config), reloads),
    ...quotaRows({ store, mounts, hasRoles, changed: quotasChanged }),
    groupApplicationRow(store),
    ...messageRows,
    ...policyRows({ store, acls, typeNames }),
    ...capabilityRows({ store, acls, namespaces, typeNames }),
    policyTestRow({ store, acls, factsOf, namespaces, typeNames }),
    ...passwordPolicyRows({ store }),
    ...leaseRows(leases),
    ...lockoutRows(store),
    ...callers.mfa.system,
    metricsRow({ metrics, unauthenticated: config.KEYFERRY_METRICS_UNAUTHENTICATED }),
  ];
}

const shownConfig = (config: Config) => ({
  host: config.KEYFERRY_HOST,
  port: config.PORT,
  tls: config.KEYFERRY_TLS_CERT_FILE !== undefined,
  logLevel: config.KEYFERRY_LOG_LEVEL,
});

/** `sys/`, which every namespace has. */
export const systemAlways = {
  type: 'system',
  always: { path: 'sys/', description: 'system endpoints used for control, policy and debugging' },
};

/** All engines: `sys/` with these rows, and the mounted ones. `sys/` also has the OpenAPI document of them all, itself included. */
export function withSystem(
  { typeNames }: Pick<Shared, 'typeNames'>,
  mounts: CopiedMounts,
  mounted: readonly Engine[],
  rows: readonly (readonly Row[])[],
): readonly Engine[] {
  const specs = specsRow({ mounts, typeNames, engines: () => all });
  const all: readonly Engine[] = [{ ...systemAlways, rows: [...rows.flat(), specs] }, ...mounted];
  return all;
}
