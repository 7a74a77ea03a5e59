import { type Audit, openAudit } from '#audit/open.ts';
import { openGatekeeper } from '#auth/gatekeeper.ts';
import { type Log, partOf } from '#core/log/log.ts';
import { openInFlight } from '#http/server/observe/in-flight.ts';
import type { HttpServer } from '#http/server/server.ts';
import type { CopiedMounts } from '#mounts/contract/mounts.ts';
import { openRateLimits } from '#quotas/limits.ts';
import type { OpenStore } from '#store/open.ts';
import type { Reloads } from '#system/config/reload.ts';
import { auditTelemetry, gaugeAudit } from '#telemetry/audit.ts';
import { readService } from '../readings.ts';
import { type AppParts, openShared } from '../shared.ts';
import { withPage } from '../ui/open.ts';
import type { Base } from './base.ts';
import { openCallers } from './callers.ts';
import { levelled } from './diagnosis.ts';
import { prepareForDevelopment } from './first-start.ts';
import { openMounted, openMounts } from './mounts.ts';
import { openServer, tlsOf } from './server.ts';
import { openSecretsApi, openWorkspaceRooms, openWorkspacesApi } from './services.ts';
import { openSyncRows } from './sync.ts';
import { systemRows, withSystem } from './system-rows.ts';

/** A server of the API with all its parts. */
export interface Api {
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  readonly inject: HttpServer['inject'];
  readonly routes: HttpServer['routes'];
  readonly store: OpenStore;
  /** For development: initialises an empty store with the automatic seal and makes sure that this root token is valid. */
  prepareForDevelopment(rootToken: string | undefined): Promise<string | undefined>;
  /**
   * Reads certificates again, and reopens the files of audit devices, which a log rotation may have moved. A failed reload is
   * logged and leaves that part unchanged.
   */
  reload(): void;
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the API in the order of its dependencies: the store, the callers, the mounts, the rows, the services, the server. Callers
 * and mounts need each other (a login method is mounted, and a token belongs to a namespace), so both get the mount table as a
 * function.
 */
export async function openApi(parts: AppParts): Promise<Api> {
  const { config } = parts;
  const log = levelled(parts.log);
  const shared = await openShared({ ...parts, log: partOf(log, 'store') }, 'key-shares');
  const { store } = shared;
  const base: Base = { config, log, shared };
  const gauges = readService(parts, shared);
  const audit = openMeasuredAudit(base);

  const callers = openCallers(base, () => mounts);
  const mounted = openMounted(base, callers, () => mounts);
  const mounts: CopiedMounts = openMounts(base, callers, mounted);
  const gatekeeper = openGatekeeper({
    store,
    acls: callers.acls,
    namespaces: callers.namespaces,
    seenMountsRevision: mounts.seenRevision,
    requestMsMax: config.KEYFERRY_REQUEST_MS_MAX,
  });

  const rateLimits = openRateLimits(store);
  const inFlight = openInFlight(() => shared.clock.now());
  const reloads: Reloads = { tls: () => server.reloadCertificates(), audit: async () => audit.reopen() };
  const sync = openSyncRows(base, mounts);
  const system = systemRows({ ...base, callers, mounts, rateLimits, inFlight, reloads });
  const engines = withSystem(shared, mounts, mounted, [system, audit.rows, sync.rows]);

  const workspaces = openWorkspaceRooms(base, gatekeeper);
  const secretsApi = openSecretsApi(base, { gatekeeper, audit, engines, mounts, rateLimits, mfa: callers.mfa });
  const workspacesApi = openWorkspacesApi(base, workspaces, { gatekeeper, audit });
  const server: HttpServer = openServer(base, {
    services: await withPage(config, [secretsApi, workspacesApi]),
    inFlight,
  });
  return {
    store,
    inject: (options) => server.inject(options),
    routes: server.routes,
    listen: (port, host) => server.listen({ port, host, ...tlsOf(config) }),
    prepareForDevelopment: (rootToken) => prepareForDevelopment(store, rootToken),
    flush: shared.flush,
    reload: () => reloadAll(reloads, log),
    async close() {
      workspaces.endWaits();
      await server.close(config.KEYFERRY_SHUTDOWN_MS_MAX);
      for (const part of [sync, audit, workspaces, callers]) await part.close();
      gauges.close();
      await shared.close();
    },
  };
}

function reloadAll(reloads: Reloads, log: Log): void {
  for (const [subsystem, reload] of Object.entries(reloads))
    void reload().catch((error: unknown) => {
      log.warn({ subsystem, error: error instanceof Error ? error.name : 'unknown' }, 'the reload failed');
    });
}

/** The audit log of both services, with its metrics. */
function openMeasuredAudit({ config, log, shared }: Base): Audit {
  const { store, clock, networkBounds, metrics } = shared;
  const audit = openAudit({
    store,
    clock,
    log: partOf(log, 'audit'),
    networkBounds,
    filesBelow: config.KEYFERRY_AUDIT_DIR,
    seen: auditTelemetry(metrics),
  });
  gaugeAudit(metrics, audit.load);
  return audit;
}
