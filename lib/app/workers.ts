import type { Log } from '../core/log.ts';
import type { Consumer } from '../queue/contract.ts';
import { openGate } from '../queue/gate/gate.ts';
import type { Destination } from '../sync/drivers/drivers.ts';
import { destinationMeasures } from '../telemetry/destinations.ts';
import { openHandler, type WorkerShared } from './handler.ts';
import { type AppParts, type Closable, openShared, type Shared } from './shared.ts';

/** Consumers of the given destination types' queues, in this process. */
export async function openWorkers(parts: AppParts, destinations: readonly Destination[]): Promise<Closable> {
  const shared = await openWorkerShared(parts);
  const { config, log } = parts;
  const gate = openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, log });
  const workers = destinations.map((destination) => {
    const { handler, drivers } = openHandler(parts, shared, gate, destination);
    const options = { ...consumeOptions(parts), atRest: !isReady(shared) };
    return { consumer: shared.queue.consume(destination.definition.type, handler, options), drivers };
  });
  const stopWatching = restWhileSealed(
    shared,
    workers.map(({ consumer }) => consumer),
    log,
  );
  log.info({ types: destinations.map(({ definition }) => definition.type) }, 'workers are running');
  return {
    async close() {
      stopWatching();
      await Promise.all(workers.map(({ consumer }) => consumer.close(config.KEYFERRY_SHUTDOWN_MS_MAX)));
      await Promise.all(workers.map(({ drivers }) => drivers.close()));
      await gate.close();
      await shared.close();
    },
  };
}

const isReady = ({ store }: Shared): boolean => store.seal.state() === 'ready';

const lookMs = 100;
const rests =
  'jobs wait: this worker is sealed; it needs the key of the automatic seal that the store has, or with key shares KEYFERRY_UNSEAL_ADDRESS and an unsealed API there';

/** Jobs are for workers that are unsealed. The log has each change. */
function restWhileSealed(shared: Shared, consumers: readonly Consumer[], log: Log): () => void {
  let atRest: boolean | undefined;
  const look = () => {
    const before = atRest;
    atRest = !isReady(shared);
    if (atRest === before) return;
    for (const consumer of consumers) consumer.rest(atRest);
    const { state, type } = shared.store.seal.status();
    if (atRest) log.warn({ state, seal: type }, rests);
    else if (before === true) log.info({}, 'this worker is unsealed and takes jobs');
  };
  look();
  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}

async function openWorkerShared(parts: AppParts): Promise<WorkerShared> {
  const shared = await openShared(parts, 'another-process');
  const destinationsMax = parts.config.KEYFERRY_METRICS_DESTINATIONS_MAX;
  return { ...shared, destinations: destinationMeasures(shared.metrics, destinationsMax) };
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
/** Until people have unsealed the installation. */
const sealedMs = 30_000;
const sealedDrain = 'jobs wait: this function is sealed; earlier lines of the log say why it was not unsealed';

export async function openDrainer(parts: AppParts, destination: Destination): Promise<Drainer> {
  const shared = await openWorkerShared(parts);
  const { config, log } = parts;
  const gate = openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, log });
  const { handler, drivers } = openHandler(parts, shared, gate, destination);
  const { type } = destination.definition;
  const reserveMs = config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX;
  return {
    async drain(deadline) {
      await shared.bell?.awake(type);
      // It may have slept since it was unsealed.
      await shared.store.seal.refresh();
      if (!isReady(shared)) {
        log.warn({ type }, sealedDrain);
        await shared.bell?.rearm(type, sealedMs);
        return { done: 0, left: true };
      }
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
