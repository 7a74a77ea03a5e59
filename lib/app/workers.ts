import type { Log } from '../core/log.ts';
import { kvV2 } from '../engines/kv-v2/index.ts';
import type { Gate, Handler } from '../queue/contract.ts';
import { openGate } from '../queue/gate.ts';
import { claims } from '../sync/claims.ts';
import { doubts } from '../sync/doubt.ts';
import { type Destination, keepDrivers } from '../sync/drivers.ts';
import { finishes } from '../sync/finish.ts';
import { intends } from '../sync/intents.ts';
import type { ReconcileParts } from '../sync/reconcile.ts';
import { keepTemplates } from '../sync/template/kept.ts';
import { syncHandler } from '../sync/worker.ts';
import { observedSync } from './observed-sync.ts';
import { type AppParts, type Closable, clock, openShared, type Shared } from './shared.ts';
import { tracedDriver } from './traced.ts';

/** Consumers of the given destination types' queues, in this process. */
export async function openWorkers(parts: AppParts, destinations: readonly Destination[]): Promise<Closable> {
  const shared = await openShared(parts);
  const { config, log } = parts;
  const gate = openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, log });
  const workers = destinations.map((destination) => {
    const { handler, drivers } = openHandler(parts, shared, gate, destination);
    return { consumer: shared.queue.consume(destination.definition.type, handler, consumeOptions(parts)), drivers };
  });
  log.info({ types: destinations.map(({ definition }) => definition.type) }, 'workers are running');
  return {
    async close() {
      await Promise.all(workers.map(({ consumer }) => consumer.close(config.KEYFERRY_SHUTDOWN_MS_MAX)));
      await Promise.all(workers.map(({ drivers }) => drivers.close()));
      await gate.close();
      await shared.close();
    },
  };
}

const consumeOptions = ({ config }: AppParts) => ({
  concurrency: config.KEYFERRY_SYNC_CONCURRENCY,
  lockMs: config.KEYFERRY_SYNC_LOCK_MS,
});

/** A worker of one type that works for a limited time, again and again, as a function does. */
export interface Drainer extends Closable {
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  /**
   * Takes jobs until none is left or the deadline is near, and rings for what is left. `left`: there is work for another call.
   *
   * @throws when the drain failed, or when there may be work left and nobody could be rung for
   */
  drain(deadline: Date): Promise<{ readonly done: number; readonly left: boolean }>;
}

/** A drain that got nothing done, though there is work, would be called again and again at once. */
const fruitlessMs = 5_000;

export async function openDrainer(parts: AppParts, destination: Destination): Promise<Drainer> {
  const shared = await openShared(parts);
  const { config, log } = parts;
  const gate = openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, log });
  const { handler, drivers } = openHandler(parts, shared, gate, destination);
  const { type } = destination.definition;
  const reserveMs = config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX;
  return {
    async drain(deadline) {
      await shared.bell?.heard(type);
      const drained = await shared.queue.drain(type, handler, { ...consumeOptions(parts), deadline, reserveMs });
      await shared.bell?.rearm(type, drained.done > 0 ? 0 : fruitlessMs);
      return drained;
    },
    flush: shared.flush,
    async close() {
      await drivers.close();
      await gate.close();
      await shared.close();
    },
  };
}

/** Different name templates that a worker keeps read. */
const templatesMax = 256;

/** What takes the jobs of one type, and the drivers it keeps open. */
function openHandler(parts: AppParts, shared: Shared, gate: Gate, destination: Destination) {
  const { config, log } = parts;
  const { store, changed, metrics, tracing } = shared;
  const { type } = destination.definition;
  const observed = observedSync({ type, metrics, tracing, log });
  const timeouts = { connectMs: config.KEYFERRY_SYNC_CONNECT_MS_MAX, requestMs: config.KEYFERRY_SYNC_REQUEST_MS_MAX };
  const { current } = kvV2({ store, clock, changed });
  const drivers = keepDrivers(destination, { store, clock, log, timeouts });
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
    operationMs: config.KEYFERRY_SYNC_OPERATION_MS_MAX,
    callsMs: config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX,
    claim: observed.claim(claims(store, config.KEYFERRY_SYNC_LOCK_MS)),
    finish: observed.finish(finishes(store)),
    openDriver: async (id, revision) => tracedDriver(await drivers.open(id, revision), type, tracing),
    doubt: doubts(store),
    intend: intends(store),
    compile: keepTemplates(templatesMax),
    currentSecret: (mountId, secretName) =>
      tracing.span('sync read', { attributes: { type } }, () => current(mountId, secretName)),
  };
  return {
    handler: whileReady(shared, log, observed.handler(syncHandler(reconcileParts, observed.gate(gate)))),
    drivers,
  };
}

/** A worker that is sealed, or started before the store was initialised, puts its jobs aside and says why. */
function whileReady({ store }: Shared, log: Log, handler: Handler): Handler {
  let saidAt = 0;
  return (job, signal) => {
    const state = store.seal.state();
    if (state === 'ready') return handler(job, signal);
    const now = clock.now().getTime();
    if (now - saidAt >= sayAgainMs) {
      saidAt = now;
      log.warn({ state, seal: store.seal.status().type }, notReady);
    }
    return Promise.resolve({ kind: 'again', afterMs: lookAgainMs });
  };
}

const notReady =
  'jobs wait: this worker is not unsealed; it needs the key of an automatic seal (KEYFERRY_SEAL_KEY or KEYFERRY_SEAL_KEY_FILE) that the store was initialised with';
const lookAgainMs = 1_000;
const sayAgainMs = 60_000;
