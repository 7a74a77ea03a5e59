import { sql } from 'kysely';
import { outageOf } from '../../core/log/outage.ts';
import type { Log } from '../../core/log.ts';
import type { Operation, Queue } from '../../queue/contract.ts';
import type { Changed } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';

export interface SyncSettings {
  readonly disabled: boolean;
  readonly queue_capacity: number;
}

/** The row of `sys/sync/config`. */
export async function loadSettings(store: Store): Promise<SyncSettings> {
  return store.db
    .selectFrom('sync_config')
    .select(['disabled', 'queue_capacity'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
}

/** Of a change of many associations the first are queued at once; its caller does not wait for the rest, the sweep sees to it. */
const queuedAtOnceMax = 1_000;

/**
 * Puts what a committed change made dirty in the queue. It does not fail: what exceeds the capacity, or finds no Redis, stays dirty in
 * the store and the sweep queues it later (rules 2 and 4 of the sync).
 */
export function changedBy(store: Store, queue: Queue, log: Log): Changed {
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
        `${dirty.length} sync operations could not be queued now and will be queued as soon as the queue answers`,
      ];
    }
  };
}

const fullWarning = (count: number, capacity: number): string =>
  `the sync queue is full (queue_capacity ${capacity}): ${count} sync operations stay pending and will be queued as soon as there is room`;

/**
 * A page of dirty associations that nobody has in flight, in the order of their ids: as numbers, which `order by id` is not
 * where the answer's column of that name is a text.
 */
export async function dirtyAfter(store: Store, id: string, pageSize: number): Promise<readonly Operation[]> {
  const { rows } = await sql<Operation>`
    select id::text as id, type, destination_id::text as destination_id, generation::int as generation, false as waiting
      from associations
     where generation > observed_generation and id > ${id}::bigint
       and (claimed_until is null or claimed_until <= now())
     order by associations.id limit ${pageSize}`.execute(store.db);
  return rows;
}
