import type { Transaction } from 'kysely';
import { openAudit } from '../audit/open.ts';
import { openGatekeeper } from '../auth/gatekeeper.ts';
import { openIdentities } from '../auth/identity/facts/open.ts';
import { identityEngine } from '../auth/identity/rows/index.ts';
import { openLeases } from '../auth/lease/leases.ts';
import { lockoutRows } from '../auth/lockout/rows.ts';
import { methods } from '../auth/methods/index.ts';
import { enabledMethods, openMethods } from '../auth/methods/open.ts';
import { loginHolder } from '../auth/mfa/login/hold.ts';
import { policyRows } from '../auth/policy/rows/index.ts';
import { openAcls } from '../auth/policy/store/acls.ts';
import { openRemote } from '../auth/remote/remote.ts';
import { mintRootToken } from '../auth/token/mint.ts';
import { openReaper } from '../auth/token/revoke/reaper.ts';
import { hashToken } from '../auth/token/store.ts';
import { wrappingRows } from '../auth/wrapping/rows.ts';
import { takeReply } from '../auth/wrapping/take.ts';
import { wrap } from '../auth/wrapping/wrap.ts';
import { type Config, ConfigError, largeBodiesBytesMax } from '../core/config.ts';
import { AppError } from '../core/errors.ts';
import { partOf } from '../core/log.ts';
import { definitions } from '../destinations/index.ts';
import { cubbyhole } from '../engines/cubbyhole/index.ts';
import { engines } from '../engines/index.ts';
import { firstMounts, openEngines, syncedSecrets } from '../engines/list.ts';
import { insertMount } from '../engines/mounts/insert.ts';
import { openNamespaces } from '../engines/mounts/namespaces/namespaces.ts';
import { alwaysMounted } from '../engines/mounts/record.ts';
import { openMountTable } from '../engines/mounts/table.ts';
import { activationRows } from '../engines/sys/activation.ts';
import { configRows, readCors } from '../engines/sys/config/index.ts';
import { diagnosisRows } from '../engines/sys/diagnosis/index.ts';
import { keyRows } from '../engines/sys/keys/index.ts';
import { leaseRows } from '../engines/sys/leases/index.ts';
import { messageRows } from '../engines/sys/messages.ts';
import { metricsRow } from '../engines/sys/metrics.ts';
import { mountRows } from '../engines/sys/mounts/index.ts';
import { namespaceRows } from '../engines/sys/namespaces/index.ts';
import { openLeaseCapacity, openRateLimits, quotaRows } from '../engines/sys/quotas/index.ts';
import { sealRows } from '../engines/sys/seal/index.ts';
import { specsRow } from '../engines/sys/specs/index.ts';
import { toolRows } from '../engines/sys/tools/index.ts';
import { auditStages } from '../http/secrets/stages/audit-stage.ts';
import { rateStage } from '../http/secrets/stages/rate-stage.ts';
import { wrapStages } from '../http/secrets/stages/wrap-stage.ts';
import { openInFlight } from '../http/wire/in-flight.ts';
import { createServer, type HttpServer } from '../http/wire/server.ts';
import { effectiveLeases, systemLeases } from '../path/lease-times.ts';
import type { Row } from '../path/row.ts';
import type { OpenStore } from '../store/open.ts';
import type { Database } from '../store/tables.ts';
import { syncRows } from '../sync/rows/index.ts';
import { requestTelemetry } from '../telemetry/requests.ts';
import { diagnosisParts, levelled } from './diagnosis.ts';
import { openMfa } from './mfa.ts';
import { byAccessor } from './mounts-by-accessor.ts';
import { readService } from './readings.ts';
import { type AppParts, clock, openShared } from './shared.ts';

/** A server of the API with all it stands on. */
export interface Api {
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  readonly inject: HttpServer['inject'];
  readonly routes: HttpServer['routes'];
  readonly store: OpenStore;
  /** For development: initialises an empty store with the automatic seal and makes sure that this root token is valid. */
  prepareForDevelopment(rootToken: string | undefined): Promise<string | undefined>;
  /** Files of audit devices are opened again with their next line, after somebody has moved them away. */
  reopenAuditFiles(): void;
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the API: `sys/`, `auth/token/` and what is mounted. */
export async function openApi(parts: AppParts): Promise<Api> {
  const { config } = parts;
  const log = levelled(parts.log);
  const shared = await openShared({ ...parts, log: partOf(log, 'store') });
  const { store, queue, changed, metrics, networkBounds } = shared;
  const gauges = readService(parts, shared);
  const engineParts = { store, clock, changed, secretBytesMax: config.KEYFERRY_BODY_BYTES_MAX };
  const secrets = syncedSecrets(engines, engineParts);
  const [leaseCapacity, rateLimits] = [openLeaseCapacity(store), openRateLimits(store)];
  const identities = openIdentities(store);
  const acls = openAcls(store, identities);
  const reaper = openReaper({ store, log: partOf(log, 'token') });
  const audit = openAudit({
    ...{ store, clock, log: partOf(log, 'audit') },
    ...{ networkBounds, filesBelow: config.KEYFERRY_AUDIT_DIR },
  });
  const remote = openRemote({ bounds: networkBounds, requestMs: config.KEYFERRY_AUTH_REQUEST_MS_MAX });
  const namespaces = { namespaceOf: (id: string) => mounts.namespaceOf(id) };
  const leasesAt = async (path: string, namespaceId: string) => {
    const mount = await mounts.resolve(path, await mounts.namespaceOf(namespaceId));
    return mount === undefined ? systemLeases : effectiveLeases(mount.config);
  };
  const holdLogin = loginHolder({ store, identities });
  const tokenParts = {
    ...{ store, clock, log: partOf(log, 'token'), reaper },
    ...{ leasesAt, leaseCapacity, namespaces, identities, holdLogin },
  };
  const mfa = openMfa(tokenParts);
  const opened = [
    ...openMethods(
      methods,
      { ...tokenParts, remote, localAccountDir: config.KEYFERRY_SERVICE_ACCOUNT_DIR },
      lockoutRule(config),
    ),
    ...openEngines(engines, engineParts),
    cubbyhole({
      store,
      hashOf: (token) => hashToken(store.barrier, token),
      takeReply: async (token) => (await takeReply(store, store.db, { token, calls: true })).text,
    }),
    identityEngine({ store, mountsOf: async (namespace) => byAccessor(await mounts.in(namespace).list()) }),
    mfa.identity,
  ];
  const [enabled, leases] = [enabledMethods(methods), openLeases(tokenParts)];
  const mounts = openMountTable({
    ...{ store, clock, engines: [...engines, ...enabled] },
    fixed: alwaysMounted([{ ...system, rows: [] }, ...opened]),
  });
  const mintRoot = (when: 'production' | 'development', id?: string) => async (tx: Transaction<Database>) => {
    for (const mount of firstMounts(engines, when)) await insertMount(tx, mount);
    return mintRootToken({ db: tx, barrier: store.barrier }, clock.now(), id);
  };
  const sealParts = {
    seal: store.seal,
    reachable: () => store.reachable(),
    mintRootToken: mintRoot('production'),
    clock,
  };
  const syncParts = {
    ...engineParts,
    queue,
    log: partOf(log, 'sync'),
    definitions,
    mounts,
    currentSecret: secrets.current,
    holdSecret: secrets.hold,
    readPath: secrets.readPath,
    syncedMounts: secrets.titles.join(' or '),
    networkBounds,
    credentialsDir: config.KEYFERRY_CREDENTIALS_DIR,
    waitMs: config.KEYFERRY_SYNC_WAIT_MS,
    drainMs: config.KEYFERRY_SYNC_LOCK_MS,
  };
  const quotasChanged = () => {
    leaseCapacity.forget();
    rateLimits.forget();
  };
  const keyParts = {
    seal: store.seal,
    attempts: store.keyAttempts,
    mintRootToken: (tx: Transaction<Database>) => mintRootToken({ db: tx, barrier: store.barrier }, clock.now()),
    attemptsNeedToken: config.KEYFERRY_KEY_ATTEMPTS_NEED_TOKEN,
  };
  const inFlight = openInFlight(() => clock.now());
  const systemRows: readonly Row[] = [
    ...diagnosisRows({ ...diagnosisParts(store, config), levels: log.levels, requests: inFlight.list }),
    ...sealRows(sealParts),
    ...keyRows(keyParts),
    ...mountRows({
      ...{ changed, mounts, engines, methods: enabled },
      revokeBelow: (namespace, path, signal) => leases(namespace).revokePrefix(path, signal),
    }),
    ...namespaceRows({ changed, namespaces: openNamespaces({ store, engines, mounts }) }),
    ...activationRows,
    ...wrappingRows({ store, clock }),
    ...toolRows(),
    ...configRows(store, shownConfig(config)),
    ...quotaRows({ store, mounts, changed: quotasChanged }),
    ...messageRows,
    specsRow({ mounts, engines: () => all }),
    ...policyRows({ store, clock, acls, namespaces }),
    ...leaseRows(leases),
    ...lockoutRows(store),
    ...mfa.system,
    ...audit.rows,
    metricsRow({ metrics, unauthenticated: config.KEYFERRY_METRICS_UNAUTHENTICATED }),
    ...syncRows(syncParts),
  ];
  const all = [{ ...system, rows: systemRows }, ...opened];
  const server = createServer({
    engines: all,
    mounts,
    namespaces: mounts,
    administrativeNamespace: config.KEYFERRY_ADMIN_NAMESPACE,
    gatekeeper: openGatekeeper({ store, acls, seenMountsRevision: mounts.seenRevision, namespaces }),
    state: () => store.seal.state(),
    log: partOf(log, 'http'),
    inFlight,
    telemetry: requestTelemetry(shared),
    accessLogLevel: config.KEYFERRY_ACCESS_LOG_LEVEL,
    clock,
    bodyLimitBytes: config.KEYFERRY_BODY_BYTES_MAX,
    largeBodiesBytesMax: largeBodiesBytesMax(config),
    requestTimeoutMs: config.KEYFERRY_REQUEST_MS_MAX,
    crossOrigin: () => readCors(store),
    requestHeaderRequired: config.KEYFERRY_REQUIRE_REQUEST_HEADER,
    stages: [
      rateStage(rateLimits.pass),
      ...mfa.stages,
      ...wrapStages((reply) => wrap({ store, clock }, reply)),
      ...auditStages(audit),
    ],
  });
  return {
    store,
    inject: (options) => server.inject(options),
    routes: server.routes,
    listen: (port, host) => server.listen({ port, host, ...tlsOf(config) }),
    async prepareForDevelopment(rootToken) {
      if (store.seal.state() === 'uninitialised') {
        const { prepared } = await store.seal.init({ shares: 1, threshold: 1 }, mintRoot('development', rootToken));
        return prepared;
      }
      if (rootToken !== undefined) await mintRootToken(store, clock.now(), rootToken).catch(isThere);
      return rootToken;
    },
    flush: shared.flush,
    reopenAuditFiles: audit.reopen,
    async close() {
      await server.close(config.KEYFERRY_SHUTDOWN_MS_MAX);
      await audit.close();
      await reaper.close();
      await remote.close();
      gauges.close();
      await shared.close();
    },
  };
}

/** The engine that has the rows about the others. */
const system = {
  type: 'system',
  always: { path: 'sys/', description: 'system endpoints used for control, policy and debugging' },
};

const lockoutRule = (config: Config) => ({
  threshold: config.KEYFERRY_LOCKOUT_THRESHOLD,
  seconds: config.KEYFERRY_LOCKOUT_SECONDS,
  resetSeconds: config.KEYFERRY_LOCKOUT_RESET_SECONDS,
});

const shownConfig = (config: Config) => ({
  host: config.KEYFERRY_HOST,
  port: config.PORT,
  tls: config.KEYFERRY_TLS_CERT_FILE !== undefined,
  logLevel: config.KEYFERRY_LOG_LEVEL,
});

function tlsOf(config: Config) {
  const certificateFile = config.KEYFERRY_TLS_CERT_FILE;
  const keyFile = config.KEYFERRY_TLS_KEY_FILE;
  if (certificateFile !== undefined && keyFile !== undefined) return { tls: { certificateFile, keyFile } };
  if (certificateFile === undefined && keyFile === undefined) return {};
  throw new ConfigError('KEYFERRY_TLS_CERT_FILE and KEYFERRY_TLS_KEY_FILE go together');
}

/** A fixed root token that was made at an earlier start. */
function isThere(error: unknown): void {
  if (error instanceof AppError && error.kind === 'already-exists') return;
  throw error;
}
