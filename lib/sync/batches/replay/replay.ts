import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Queue } from '#queue/contract.ts';
import type { Dirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import { loadSettings } from '../../model/settings.ts';
import type { ReplayFilter } from './filter.ts';
import { destinationsNamed, replayPage } from './page.ts';

export interface ReplayParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly log: Log;
  readonly definitions: readonly DestinationDefinition[];
}

export interface Replayed {
  /** How many associations were reset. */
  readonly replayed: number;
  /** How many of them have a job; the sweep queues the rest. */
  readonly queued: number;
  /** Where the next call continues; absent when the replay is complete. */
  readonly cursor?: string;
  readonly warnings: readonly string[];
}

/**
 * Resets failed syncs: they become PENDING with all their attempts available again. Existing jobs are brought forward. Works page
 * by page in the order of the ids and queues each page before the next, until it is complete, the queue is full, or `signal`
 * aborts. What it has done by then stays done.
 *
 * @throws AppError `bad-request` when no destination has the name
 * @throws AppError `unavailable` when not even the first page succeeded
 */
export async function replay(parts: ReplayParts, filter: ReplayFilter, signal: AbortSignal): Promise<Replayed> {
  const { queue_capacity } = await loadSettings(parts.store);
  const destinations = await destinationsNamed(parts.store, parts.definitions, filter);
  const start = filter.cursor ?? '0';
  let [replayed, queued, cursor] = [0, 0, start];
  do {
    const page = await replayPage(parts.store, filter, destinations, cursor).catch((cause: unknown) => {
      if (cursor !== start && isPassing(cause)) return undefined;
      throw cause;
    });
    if (page === undefined) return { replayed, queued, cursor, warnings: [databaseFailed] };
    const { count, warnings } = await queuePage(parts, page.dirty, queue_capacity);
    replayed += page.dirty.length;
    queued += count;
    if (page.last === undefined) return { replayed, queued, warnings };
    cursor = page.last;
    if (warnings.length > 0) return { replayed, queued, cursor, warnings };
  } while (!signal.aborted);
  return { replayed, queued, cursor, warnings: [outOfTime] };
}

const isPassing = (cause: unknown): boolean => cause instanceof AppError && cause.kind === 'unavailable';

const databaseFailed = 'the database failed during the replay: replay again with the cursor to continue';
const outOfTime = 'the time of one call was not enough to replay all: replay again with the cursor to continue';

/** Operations that exceed the capacity, or find no Redis, stay dirty in the store, and the sweep queues them later. */
async function queuePage({ queue, log }: ReplayParts, dirty: readonly Dirty[], capacity: number) {
  try {
    const { refused } = await queue.enqueue(dirty, capacity);
    const full = `the sync queue is full (queue_capacity ${capacity}): ${refused.length} sync operations stay pending and will be queued as soon as there is room`;
    return { count: dirty.length - refused.length, warnings: refused.length === 0 ? [] : [full] };
  } catch (cause) {
    const why = outageOf(cause) ?? { error: String(cause) };
    log.warn({ associations: dirty.length, ...why }, 'could not queue; the sweep will');
    const unavailable = `${dirty.length} sync operations could not be queued now and will be queued as soon as the queue is available`;
    return { count: 0, warnings: [unavailable] };
  }
}
