import { AppError } from '../../core/errors.ts';
import { outageOf } from '../../core/log/outage.ts';
import type { Log } from '../../core/log.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Queue } from '../../queue/contract.ts';
import type { Dirty } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import { loadSettings } from '../sweep/requeue.ts';
import type { ReplayFilter } from './filter.ts';
import { destinationsNamed, replayPage } from './page.ts';

export interface ReplayParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly log: Log;
  readonly definitions: readonly DestinationDefinition[];
}

export interface Replayed {
  /** Associations that start afresh. */
  readonly replayed: number;
  /** How many of them have their job; the sweep queues the rest. */
  readonly queued: number;
  /** Where the next call goes on; absent: through. */
  readonly cursor?: string;
  readonly warnings: readonly string[];
}

/**
 * Starts failed syncs afresh: they become PENDING with all their attempts before them. Those whose job is still there are
 * brought forward. Goes page by page in the order of the ids, each page queued before the next, until it is through, the
 * queue is full, or `signal` says that the time is over. What it has done stays done.
 *
 * @throws AppError `bad-request` when no destination has the name
 * @throws AppError `unavailable` when not even the first page could be done
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
    if (page === undefined) return { replayed, queued, cursor, warnings: [broken] };
    const { count, warnings } = await queuePage(parts, page.dirty, queue_capacity);
    replayed += page.dirty.length;
    queued += count;
    if (page.last === undefined) return { replayed, queued, warnings };
    cursor = page.last;
    if (warnings.length > 0) return { replayed, queued, cursor, warnings };
  } while (!signal.aborted);
  return { replayed, queued, cursor, warnings: [timeIsUp] };
}

const isPassing = (cause: unknown): boolean => cause instanceof AppError && cause.kind === 'unavailable';

const broken = 'the database failed on the way: replay again with the cursor for the rest';
const timeIsUp = 'not all were replayed in the time of one call: replay again with the cursor for the rest';

/** What exceeds the capacity, or finds no Redis, stays dirty in the store, and the sweep queues it later. */
async function queuePage({ queue, log }: ReplayParts, dirty: readonly Dirty[], capacity: number) {
  try {
    const { refused } = await queue.enqueue(dirty, capacity);
    const full = `the sync queue is full (queue_capacity ${capacity}): ${refused.length} sync operations stay pending and will be queued as soon as there is room`;
    return { count: dirty.length - refused.length, warnings: refused.length === 0 ? [] : [full] };
  } catch (cause) {
    const why = outageOf(cause) ?? { error: String(cause) };
    log.warn({ associations: dirty.length, ...why }, 'could not queue; the sweep will');
    const away = `${dirty.length} sync operations could not be queued now and will be queued as soon as the queue answers`;
    return { count: 0, warnings: [away] };
  }
}
