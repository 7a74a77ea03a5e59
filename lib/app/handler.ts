import type { Log } from '#core/log/log.ts';
import { engines } from '#engines/index.ts';
import { syncedSecrets } from '#engines/list.ts';
import type { Answer, Gate, Handler } from '#queue/contract.ts';
import type { OpenStore } from '#store/open.ts';
import { answerer } from '#sync/ask/answer.ts';
import { claims, invalidates } from '#sync/claim/claims.ts';
import { destinationResults } from '#sync/claim/destination-results.ts';
import { finishes } from '#sync/claim/finish.ts';
import { intends } from '#sync/claim/intents.ts';
import type { DriftParts } from '#sync/drift/drift.ts';
import { keepAccounts } from '#sync/drivers/accounts.ts';
import { type Destination, type Drivers, keepDrivers } from '#sync/drivers/drivers.ts';
import { callsAround } from '#sync/drivers/wrapped.ts';
import type { ReconcileParts } from '#sync/reconcile/reconcile.ts';
import { syncHandler } from '#sync/reconcile/worker.ts';
import { keepTemplates } from '#sync/template/naming.ts';
import type { DestinationMeasures } from '#telemetry/destinations.ts';
import { syncTelemetry } from '#telemetry/sync.ts';
import type { AppParts, Shared } from './shared.ts';

const notReady =
  'jobs are waiting: this worker is sealed; it needs the automatic seal (KEYFERRY_SEAL, KEYFERRY_SEAL_KEY) of the store';
const retryMs = 1_000;
const warnEveryMs = 60_000;

/** Parsed name templates that a worker keeps. */
const templatesMax = 256;

/** What the workers of a process share. */
export interface WorkerShared extends Shared {
  readonly destinations: DestinationMeasures;
}

/** The handler of the jobs of one type, its answers to questions, and the drivers that it keeps open. */
interface OpenHandler {
  readonly handler: Handler;
  readonly answer: Answer;
  readonly drift: DriftParts;
  readonly drivers: Drivers;
  /** Stores the last results of destinations. */
  flush(): Promise<void>;
}

export function openHandler(parts: AppParts, shared: WorkerShared, gate: Gate, destination: Destination): OpenHandler {
  const { config, log } = parts;
  const { store, clock, changed, metrics, destinations, tracing, networkBounds } = shared;
  const { type } = destination.definition;
  const observed = syncTelemetry({ type, metrics, destinations, tracing, log });
  const timeouts = { connectMs: config.KEYFERRY_SYNC_CONNECT_MS_MAX, requestMs: config.KEYFERRY_SYNC_REQUEST_MS_MAX };
  const secretBytesMax = config.KEYFERRY_BODY_BYTES_MAX;
  const { current } = syncedSecrets(engines, { store, changed, secretBytesMax });
  const driverParts = {
    store,
    clock,
    log,
    timeouts,
    networkBounds,
    credentialFiles: {
      folder: config.KEYFERRY_CREDENTIALS_DIR,
      endpoints: config.KEYFERRY_CREDENTIALS_ENDPOINTS,
    },
  };
  const drivers = keepDrivers(destination, driverParts);
  const results = destinationResults(store, log);
  const compile = keepTemplates(templatesMax);
  const currentSecret = (mountId: string, secretName: string) => observed.read(() => current(mountId, secretName));
  const reconcileParts: ReconcileParts = {
    definition: destination.definition,
    store,
    clock,
    log,
    random: Math.random,
    retry: {
      attemptsMax: config.KEYFERRY_SYNC_ATTEMPTS_MAX,
      delayMsFirst: config.KEYFERRY_SYNC_RETRY_MS_FIRST,
      delayMsMax: config.KEYFERRY_SYNC_RETRY_MS_MAX,
    },
    recheck: { firstMs: config.KEYFERRY_SYNC_REQUEST_MS_MAX, secondMs: config.KEYFERRY_SYNC_RECHECK_MS },
    operationMs: config.KEYFERRY_SYNC_OPERATION_MS_MAX,
    callsMs: config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX,
    claim: observed.claim(
      claims(store, { leaseMs: config.KEYFERRY_SYNC_LOCK_MS, spacingMs: config.KEYFERRY_SYNC_SPACING_MS }),
    ),
    finish: observed.finish(finishes(store, log, results)),
    async openDriver(id, revision) {
      const driver = await drivers.open(id, revision);
      return driver && callsAround(driver, observed.call);
    },
    invalidate: invalidates(store),
    intend: intends(store),
    compile,
    currentSecret,
  };
  const accounts = keepAccounts(destination.definition, { store, clock });
  return {
    handler: whileReady(store, log, observed.handler(syncHandler(reconcileParts, observed.gate(gate), accounts))),
    answer: answerer(destination, { ...driverParts, gate: observed.gate(gate), compile, currentSecret }),
    drift: {
      definition: destination.definition,
      store,
      log,
      gate: observed.gate(gate),
      accounts,
      openDriver: reconcileParts.openDriver,
      changed,
      looked: observed.looked,
      everyMs: config.KEYFERRY_SYNC_DRIFT_EVERY_MS,
    },
    drivers,
    flush: results.flush,
  };
}

/** A worker that is sealed, or started before the store was initialised, delays its jobs and says why. */
function whileReady({ seal, clock }: Pick<OpenStore, 'seal' | 'clock'>, log: Log, handler: Handler): Handler {
  let warnedAt = 0;
  return (job, signal) => {
    const state = seal.state();
    if (state === 'ready') return handler(job, signal);
    const now = clock.now().getTime();
    if (now - warnedAt >= warnEveryMs) {
      warnedAt = now;
      log.warn({ state, seal: seal.status().type }, notReady);
    }
    return Promise.resolve({ kind: 'again', afterMs: retryMs });
  };
}
