import type { Log } from '#core/log/log.ts';
import type { Consumer } from '#queue/contract.ts';
import { openGate } from '#queue/gate/gate.ts';
import { type DriftParts, lookForDrift, startDrift } from '#sync/drift/drift.ts';
import type { Destination } from '#sync/drivers/drivers.ts';
import { destinationMeasures } from '#telemetry/destinations.ts';
import { openHandler, type WorkerShared } from './handler.ts';
import { type AppParts, type Closable, openShared, type Shared } from './shared.ts';

/** Consumers for the queues of the given destination types, in this process. */
export async function openWorkers(parts: AppParts, destinations: readonly Destination[]): Promise<Closable> {
  const shared = await openWorkerShared(parts);
  const { config, log } = parts;
  const gate = openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, log });
  const workers = destinations.map((destination) => {
    const { handler, answer, drift, drivers, flush } = openHandler(parts, shared, gate, destination);
    const { type } = destination.definition;
    const options = { ...consumeOptions(parts), atRest: !isReady(shared) };
    const answering = shared.queue.answer(type, answer, { mayTake: () => isReady(shared) });
    const looking = drift.everyMs === 0 ? undefined : startDrift(drift, () => isReady(shared));
    return { consumer: shared.queue.consume(type, handler, options), answering, looking, drivers, flush };
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
      await Promise.all(
        workers.flatMap(({ consumer, answering, looking }) => [
          consumer.close(config.KEYFERRY_SHUTDOWN_MS_MAX),
          answering.close(),
          looking?.close(),
        ]),
      );
      await Promise.all(workers.flatMap(({ drivers, flush }) => [drivers.close(), flush()]));
      await gate.close();
      await shared.close();
    },
  };
}

const isReady = ({ store }: Shared): boolean => store.seal.state() === 'ready';

const checkEveryMs = 100;
const sealedWorker =
  'jobs are waiting: this worker is sealed; it needs the key of the automatic seal of the store, or with key shares KEYFERRY_UNSEAL_ADDRESS and an unsealed API there';

/** Lets consumers rest while the worker is sealed, and logs each change. */
function restWhileSealed(shared: Shared, consumers: readonly Consumer[], log: Log): () => void {
  let atRest: boolean | undefined;
  const look = () => {
    const before = atRest;
    atRest = !isReady(shared);
    if (atRest === before) return;
    for (const consumer of consumers) consumer.rest(atRest);
    const { state, type } = shared.store.seal.status();
    if (atRest) log.warn({ state, seal: type }, sealedWorker);
    else if (before === true) log.info({}, 'this worker is unsealed and takes jobs');
  };
  look();
  const timer = setInterval(look, checkEveryMs).unref();
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

/** A worker of one type that works in limited periods, as a function does. */
export interface Drainer extends Closable {
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  /**
   * Processes jobs until none is left or the deadline is near, and rings for the rest. `left`: there is work for another call.
   *
   * @throws when the drain failed, or when work may be left and the ring failed
   */
  drain(deadline: Date): Promise<{ readonly done: number; readonly left: boolean }>;
}

/** Delay of the next ring after a drain without progress, which would otherwise be called again at once. */
const noProgressDelayMs = 5_000;
/** Delay of the next ring while the installation is sealed. */
const sealedDelayMs = 30_000;
/** How long a call of a function looks for drift: it is paid by its time. */
const drainedLookMsMax = 20_000;
const sealedFunction = 'jobs are waiting: this function is sealed; earlier lines of the log say why';

/** Looks for drift in the time that the jobs have left, as long as the calls of a job may take. */
async function lookInTime(drift: DriftParts, deadline: Date, reserveMs: number): Promise<void> {
  const leftMs = deadline.getTime() - Date.now() - reserveMs;
  if (leftMs > 0) await lookForDrift(drift, AbortSignal.timeout(Math.min(leftMs, drainedLookMsMax)));
}

export async function openDrainer(parts: AppParts, destination: Destination): Promise<Drainer> {
  const shared = await openWorkerShared(parts);
  const { config, log } = parts;
  const gate = openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, log });
  const { handler, answer, drift, drivers, flush } = openHandler(parts, shared, gate, destination);
  const { type } = destination.definition;
  const reserveMs = config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX;
  return {
    async drain(deadline) {
      await shared.bell?.awake(type);
      // The function may have been frozen since it was unsealed.
      await shared.store.seal.refresh();
      if (!isReady(shared)) {
        log.warn({ type }, sealedFunction);
        await shared.bell?.rearm(type, sealedDelayMs);
        return { done: 0, left: true };
      }
      // Those who ask wait for the answer, and jobs do not, so questions are taken before and after the jobs.
      const answered = shared.queue.answerWaiting(type, answer, deadline);
      const drained = await shared.queue.drain(type, handler, { ...consumeOptions(parts), deadline, reserveMs });
      await answered;
      await flush();
      await shared.queue.answerWaiting(type, answer, deadline);
      if (drift.everyMs > 0 && !drained.left) await lookInTime(drift, deadline, reserveMs);
      await shared.bell?.rearm(type, drained.done > 0 ? 0 : noProgressDelayMs);
      return drained;
    },
    flush: shared.flush,
    async close() {
      await flush();
      await drivers.close();
      await gate.close();
      await shared.close();
    },
  };
}
