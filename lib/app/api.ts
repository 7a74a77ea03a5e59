import type { Transaction } from 'kysely';
import { openAudit } from '../audit/open.ts';
import { openGatekeeper } from '../auth/gatekeeper.ts';
import { openLeases } from '../auth/lease/leases.ts';
import { methods } from '../auth/methods/index.ts';
import { openMethods } from '../auth/methods/open.ts';
import { policyRows } from '../auth/policy/rows/index.ts';
import { openAcls } from '../auth/policy/store/acls.ts';
import { mintRootToken } from '../auth/token/mint.ts';
import { openReaper } from '../auth/token/revoke/reaper.ts';
import { hashToken } from '../auth/token/store.ts';
import { wrappingRows } from '../auth/wrapping/rows.ts';
import { wrap } from '../auth/wrapping/wrap.ts';
import { type Config, ConfigError, largeBodiesBytesMax } from '../core/config.ts';
import { AppError } from '../core/errors.ts';
import { definitions } from '../destinations/index.ts';
import { cubbyhole } from '../engines/cubbyhole/index.ts';
import { engines } from '../engines/index.ts';
import { firstMounts, openEngines, syncedSecrets } from '../engines/list.ts';
import { insertMount } from '../engines/mounts/insert.ts';
import { alwaysMounted } from '../engines/mounts/record.ts';
import { openMountTable } from '../engines/mounts/table.ts';
import { activationRows } from '../engines/sys/activation.ts';
import { configRows, readCors } from '../engines/sys/config/index.ts';
import { leaseRows } from '../engines/sys/leases/index.ts';
import { messageRows } from '../engines/sys/messages.ts';
import { metricsRow } from '../engines/sys/metrics.ts';
import { mountRows } from '../engines/sys/mounts/index.ts';
import { openLeaseCapacity, openRateLimits, quotaRows } from '../engines/sys/quotas/index.ts';
import { sealRows } from '../engines/sys/seal/index.ts';
import { toolRows } from '../engines/sys/tools/index.ts';
import { auditStages } from '../http/secrets/stages/audit-stage.ts';
import { rateStage } from '../http/secrets/stages/rate-stage.ts';
import { wrapStages } from '../http/secrets/stages/wrap-stage.ts';
import { createServer, type HttpServer } from '../http/wire/server.ts';
import { effectiveLeases, systemLeases } from '../path/lease-times.ts';
import type { OpenStore } from '../store/open.ts';
import type { Database } from '../store/tables.ts';
import { syncRows } from '../sync/rows/index.ts';
import { requestTelemetry } from '../telemetry/requests.ts';
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
  const shared = await openShared(parts);
  const { config, log } = parts;
  const { store, queue, changed, metrics, networkBounds } = shared;
  const gauges = readService(parts, shared);
  const engineParts = { store, clock, changed, secretBytesMax: config.KEYFERRY_BODY_BYTES_MAX };
  const secrets = syncedSecrets(engines, engineParts);
  const [leaseCapacity, rateLimits] = [openLeaseCapacity(store), openRateLimits(store)];
  const acls = openAcls(store);
  const reaper = openReaper({ store, log });
  const audit = openAudit({ store, clock, log, networkBounds, filesBelow: config.KEYFERRY_AUDIT_DIR });
  const leasesAt = async (path: string) => {
    const mount = await mounts.resolve(path);
    return mount === undefined ? systemLeases : effectiveLeases(mount.config);
  };
  const tokenParts = { store, clock, log, reaper, leasesAt, leaseCapacity };
  const opened = [
    ...openMethods(methods, tokenParts),
    ...openEngines(engines, engineParts),
    cubbyhole({ store, hashOf: (token) => hashToken(store.barrier, token) }),
  ];
  const mounts = openMountTable({ store, clock, engines, fixed: alwaysMounted([{ ...system, rows: [] }, ...opened]) });
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
    log,
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
  const systemRows = [
    ...sealRows(sealParts),
    ...mountRows({ changed, mounts, engines }),
    ...activationRows,
    ...wrappingRows({ store, clock }),
    ...toolRows(),
    ...configRows(store, shownConfig(config)),
    ...quotaRows({ store, mounts, changed: quotasChanged }),
    ...messageRows,
    ...policyRows({ store, clock, acls }),
    ...leaseRows(openLeases(tokenParts)),
    ...audit.rows,
    metricsRow({ metrics, unauthenticated: config.KEYFERRY_METRICS_UNAUTHENTICATED }),
    ...syncRows(syncParts),
  ];
  const server = createServer({
    engines: [{ ...system, rows: systemRows }, ...opened],
    mounts,
    gatekeeper: openGatekeeper({ store, acls, seenMountsRevision: mounts.seenRevision }),
    state: () => store.seal.state(),
    log,
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
