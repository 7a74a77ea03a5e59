import { sql } from 'kysely';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import type { Operation, Queue } from '#queue/contract.ts';
import { dirtyColumns, type EnqueueDirty } from '#store/outbox.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isPaused } from '../model/pause.ts';
import { loadSettings } from '../model/settings.ts';

/** A change of more associations than this queues the first ones at once and leaves the rest to the sweep. */
const queuedAtOnceMax = 1_000;

/**
 * Queues the associations that a committed change made dirty. It does not fail: what exceeds the capacity, or finds no Redis,
 * stays dirty in the store, and the sweep queues it later (docs/architecture.md, rules 3.2 and 3.4).
 */
export function changedBy(store: Store, queue: Queue, log: Log): EnqueueDirty {
  return async (dirty) => {
    if (dirty.length === 0) return [];
    try {
      const { queue_capacity } = await loadSettings(store);
      const { refused } = await queue.enqueue(dirty.slice(0, queuedAtOnceMax), queue_capacity);
      return refused.length === 0 ? [] : [fullWarning(refused.length, queue_capacity)];
    } catch (cause) {
      const why = outageOf(cause) ?? { error: String(cause) };
      log.warn({ associations: dirty.length, ...why }, 'could not queue; the sweep will');
      return [
        `${dirty.length} sync operations could not be queued now and will be queued as soon as the queue is available`,
      ];
    }
  };
}

const fullWarning = (count: number, capacity: number): string =>
  `the sync queue is full (queue_capacity ${capacity}): ${count} sync operations stay pending and will be queued as soon as there is room`;

/**
 * A page of dirty associations that are not in flight, ordered by numeric id. A plain `order by id` would refer to the text column
 * of that name in the result. `waiting`: the destination was resumed a moment ago, so the job that a worker has put aside for longer
 * has to be brought forward. Not at once, because a worker may put one aside just after the end of the pause, and not for long,
 * because by then all of them have been brought forward.
 */
export async function dirtyAfter(store: Store, id: string, pageSize: number): Promise<readonly Operation[]> {
  const { rows } = await rowsOf(dirtyColumns)`
    select id::text as id, type, destination_id::text as destination_id, generation::int as generation,
           ${isResumed} and (next_attempt_at is null or next_attempt_at <= now()) as waiting
      from associations
     where generation > observed_generation and id > ${id}::bigint
       and (claimed_until is null or claimed_until <= now())
     order by associations.id limit ${pageSize}`.execute(store.db);
  return rows;
}

const resumedMsMin = 1_000;
const resumedMsMax = 120_000;

const isResumed = sql`exists (
  select 1 from destinations d
   where d.id = associations.destination_id and not ${isPaused('d')}
     and d.resumed_at between now() - ${resumedMsMax}::int * interval '1 millisecond'
                          and now() - ${resumedMsMin}::int * interval '1 millisecond')`;
