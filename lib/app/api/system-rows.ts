import type { Transaction } from 'kysely';
import { groupApplicationRow } from '../../auth/identity/rows/application.ts';
import { lockoutRows } from '../../auth/lockout/rows.ts';
import { policyRows } from '../../auth/policy/rows/index.ts';
import { mintRootToken } from '../../auth/token/issue/mint.ts';
import { wrappingRows } from '../../auth/wrapping/rows.ts';
import type { Config } from '../../core/config.ts';
import type { LogLevels } from '../../core/log.ts';
import { engines } from '../../engines/index.ts';
import { openNamespaces } from '../../engines/mounts/namespaces/namespaces.ts';
import type { CopiedMounts } from '../../engines/mounts/table.ts';
import { activationRows } from '../../engines/sys/activation.ts';
import { configRows } from '../../engines/sys/config/index.ts';
import { messageRows } from '../../engines/sys/config/messages.ts';
import type { Reloads } from '../../engines/sys/config/reload.ts';
import { diagnosisRows } from '../../engines/sys/diagnosis/index.ts';
import { metricsRow } from '../../engines/sys/diagnosis/metrics.ts';
import { keyRows } from '../../engines/sys/keys/index.ts';
import { leaseRows } from '../../engines/sys/leases/index.ts';
import { mountRows } from '../../engines/sys/mounts/index.ts';
import { namespaceRows } from '../../engines/sys/namespaces/index.ts';
import { quotaRows } from '../../engines/sys/quotas/index.ts';
import { sealRows } from '../../engines/sys/seal/index.ts';
import { toolRows } from '../../engines/sys/tools/index.ts';
import type { InFlight } from '../../http/wire/observe/in-flight.ts';
import type { Row } from '../../path/contract/row.ts';
import type { Database } from '../../store/tables.ts';
import { loanTelemetry } from '../../telemetry/loans.ts';
import type { Shared } from '../shared.ts';
import type { Callers } from './callers.ts';
import { diagnosisParts } from './diagnosis.ts';
import { firstRoot } from './first-start.ts';

interface SystemParts {
  readonly config: Config;
  readonly levels: LogLevels;
  readonly shared: Shared;
  readonly callers: Callers;
  readonly mounts: CopiedMounts;
  readonly inFlight: InFlight;
  readonly reloads: Reloads;
  /** Called when a quota has changed. */
  readonly quotasChanged: () => void;
}

/** The rows of `sys/` beside those of the sync, of audit devices and of the API's own description. */
export function systemRows(parts: SystemParts): readonly Row[] {
  const { config, levels, shared, callers, mounts, inFlight, quotasChanged, reloads } = parts;
  const { store, clock, changed, metrics } = shared;
  const { leases, enabled, acls, namespaces } = callers;
  const hasRoles = (type: string) => callers.engines.some((one) => one.type === type && one.loginRole !== undefined);
  return [
    ...diagnosisRows({ ...diagnosisParts(store, config), levels, requests: inFlight.list }),
    ...sealRows({
      ...{ seal: store.seal, clock, reachable: () => store.reachable() },
      mintRootToken: firstRoot(store, 'production'),
      lent: loanTelemetry(metrics),
    }),
    ...keyRows({
      ...{ seal: store.seal, attempts: store.keyAttempts },
      mintRootToken: (tx: Transaction<Database>) => mintRootToken({ db: tx, barrier: store.barrier }),
      attemptsNeedToken: config.KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN,
    }),
    ...mountRows({
      ...{ changed, mounts, engines, methods: enabled },
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
    ...policyRows({ store, acls, namespaces }),
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
