import { openAudit } from '../../audit/open.ts';
import { openGatekeeper } from '../../auth/gatekeeper.ts';
import { identityEngine } from '../../auth/identity/rows/index.ts';
import { hashToken } from '../../auth/token/find/store.ts';
import { takeReply } from '../../auth/wrapping/take.ts';
import { wrap } from '../../auth/wrapping/wrap.ts';
import { type Config, ConfigError, largeBodiesBytesMax, smtpOf } from '../../core/config.ts';
import { type Log, partOf } from '../../core/log.ts';
import { definitions } from '../../destinations/index.ts';
import { cubbyhole } from '../../engines/cubbyhole/index.ts';
import { engines } from '../../engines/index.ts';
import { openEngines, syncedSecrets } from '../../engines/list.ts';
import { alwaysMounted } from '../../engines/mounts/record.ts';
import { type CopiedMounts, openMountTable } from '../../engines/mounts/table.ts';
import { readCors } from '../../engines/sys/config/index.ts';
import { openRateLimits } from '../../engines/sys/quotas/index.ts';
import { specsRow } from '../../engines/sys/specs/index.ts';
import { rateStage } from '../../http/secrets/stages/rate-stage.ts';
import { wrapStages } from '../../http/secrets/stages/wrap-stage.ts';
import { openInFlight } from '../../http/wire/observe/in-flight.ts';
import { createServer, type HttpServer } from '../../http/wire/server.ts';
import type { Engine } from '../../path/contract/engine.ts';
import type { Mount } from '../../path/contract/mount.ts';
import type { OpenStore } from '../../store/open.ts';
import { openMarker } from '../../sync/marking/marker.ts';
import { syncRows } from '../../sync/rows/index.ts';
import { auditTelemetry, gaugeAudit } from '../../telemetry/audit.ts';
import { requestTelemetry } from '../../telemetry/requests.ts';
import { openWorkspaces } from '../../workspaces/index.ts';
import { readService } from '../readings.ts';
import { type AppParts, openShared } from '../shared.ts';
import { openCallers } from './callers.ts';
import { levelled } from './diagnosis.ts';
import { prepareForDevelopment } from './first-start.ts';
import { systemRows } from './system-rows.ts';

/** A server of the API with all it stands on. */
export interface Api {
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  readonly inject: HttpServer['inject'];
  readonly routes: HttpServer['routes'];
  readonly store: OpenStore;
  /** For development: initialises an empty store with the automatic seal and makes sure that this root token is valid. */
  prepareForDevelopment(rootToken: string | undefined): Promise<string | undefined>;
  /**
   * Reads certificates again, and opens the files of audit devices again, which somebody may have moved away. What cannot be
   * reloaded goes on as it was, and is logged.
   */
  reload(): void;
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the API: `sys/`, `auth/token/` and what is mounted. */
export async function openApi(parts: AppParts): Promise<Api> {
  const { config } = parts;
  const log = levelled(parts.log);
  const shared = await openShared({ ...parts, log: partOf(log, 'store') }, 'people');
  const { store, clock, queue, changed, networkBounds } = shared;
  const gauges = readService(parts, shared);
  const engineParts = { store, changed, secretBytesMax: config.KEYFERRY_BODY_BYTES_MAX };
  const audit = openAudit({
    ...{ store, clock, log: partOf(log, 'audit') },
    ...{ networkBounds, filesBelow: config.KEYFERRY_AUDIT_DIR, seen: auditTelemetry(shared.metrics) },
  });
  gaugeAudit(shared.metrics, audit.load);
  const callers = openCallers({ config, log, shared, mounts: () => mounts });
  const mounted: readonly Engine[] = [
    ...callers.engines,
    ...openEngines(engines, engineParts),
    cubbyhole({
      store,
      hashOf: (token) => hashToken(store.barrier, token),
      takeReply: async (token) => (await takeReply(store, store.db, token)).text,
    }),
    identityEngine({ store, mountsOf: async (namespace) => byAccessor(await mounts.in(namespace).list()) }),
    callers.mfa.identity,
  ];
  const mounts: CopiedMounts = openMountTable({
    ...{ store, engines: [...engines, ...callers.enabled] },
    fixed: alwaysMounted([{ ...system, rows: [] }, ...mounted]),
  });
  const rateLimits = openRateLimits(store);
  const quotasChanged = () => {
    callers.leaseCapacity.forget();
    rateLimits.forget();
  };
  const reloads = {
    tls: () => server.reloadCertificates(),
    audit: async () => audit.reopen(),
  };
  const inFlight = openInFlight(() => clock.now());
  const secrets = syncedSecrets(engines, engineParts);
  const marker = openMarker({ store, changed, log: partOf(log, 'sync') });
  const syncParts = {
    ...{ ...engineParts, clock, queue, log: partOf(log, 'sync'), definitions, mounts, marker, networkBounds },
    ...{ currentSecret: secrets.current, holdSecret: secrets.hold, readPath: secrets.readPath },
    syncedMounts: secrets.titles.join(' or '),
    credentialsDir: config.KEYFERRY_CREDENTIALS_DIR,
    waitMs: config.KEYFERRY_SYNC_WAIT_MS,
    drainMs: config.KEYFERRY_SYNC_LOCK_MS,
  };
  const rows = [
    ...systemRows({ config, levels: log.levels, shared, callers, mounts, inFlight, quotasChanged, reloads }),
    specsRow({ mounts, engines: () => all }),
    ...audit.rows,
    ...syncRows(syncParts),
  ];
  const all: readonly Engine[] = [{ ...system, rows }, ...mounted];
  const { acls, namespaces, mfa } = callers;
  const gatekeeper = openGatekeeper({
    ...{ store, acls, seenMountsRevision: mounts.seenRevision, namespaces },
    requestMsMax: config.KEYFERRY_REQUEST_MS_MAX,
  });
  const workspaces = openWorkspaces({
    store,
    clock: store.clock,
    gatekeeper,
    networkBounds,
    smtp: smtpOf(config),
    log: partOf(log, 'workspaces'),
    auditTrailDays: config.KEYFERRY_AUDIT_TRAIL_DAYS,
  });
  const server: HttpServer = createServer({
    engines: all,
    mounts,
    namespaces: mounts,
    administrativeNamespace: config.KEYFERRY_ADMIN_NAMESPACE,
    gatekeeper,
    workspaces: {
      ...workspaces,
      requestsPerSecond: config.KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND,
      origin: config.KEYFERRY_PUBLIC_URL,
    },
    state: () => store.seal.state(),
    log: partOf(log, 'http'),
    auditor: audit,
    inFlight,
    telemetry: requestTelemetry(shared),
    accessLogLevel: config.KEYFERRY_ACCESS_LOG_LEVEL,
    clock,
    bodyLimitBytes: config.KEYFERRY_BODY_BYTES_MAX,
    largeBodiesBytesMax: largeBodiesBytesMax(config),
    requestTimeoutMs: config.KEYFERRY_REQUEST_MS_MAX,
    crossOrigin: () => readCors(store),
    requestHeaderRequired: config.KEYFERRY_REQUIRE_REQUEST_HEADER,
    trustedProxies: config.KEYFERRY_TRUSTED_PROXIES,
    stages: [rateStage(rateLimits.pass), ...mfa.stages, ...wrapStages((reply) => wrap({ store }, reply))],
  });
  return {
    store,
    inject: (options) => server.inject(options),
    routes: server.routes,
    listen: (port, host) => server.listen({ port, host, ...tlsOf(config) }),
    prepareForDevelopment: (rootToken) => prepareForDevelopment(store, rootToken),
    flush: shared.flush,
    reload() {
      for (const [name, one] of Object.entries(reloads)) void one().catch((error) => notReloaded(log, name, error));
    },
    async close() {
      await server.close(config.KEYFERRY_SHUTDOWN_MS_MAX);
      await marker.close();
      await audit.close();
      await workspaces.close();
      await callers.close();
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

function notReloaded(log: Log, name: string, error: unknown): void {
  log.warn({ subsystem: name, error: error instanceof Error ? error.name : 'unknown' }, 'was not reloaded');
}

const byAccessor = (mounts: readonly Mount[]): ReadonlyMap<string, Mount> =>
  new Map(mounts.map((mount) => [mount.accessor, mount]));

function tlsOf(config: Config) {
  const certificateFile = config.KEYFERRY_TLS_CERT_FILE;
  const keyFile = config.KEYFERRY_TLS_KEY_FILE;
  if (certificateFile !== undefined && keyFile !== undefined) return { tls: { certificateFile, keyFile } };
  if (certificateFile === undefined && keyFile === undefined) return {};
  throw new ConfigError('KEYFERRY_TLS_CERT_FILE and KEYFERRY_TLS_KEY_FILE go together');
}
