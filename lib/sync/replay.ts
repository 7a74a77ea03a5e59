import { sql } from 'kysely';
import type { Changed } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { markAll } from './requeue.ts';
import { errorStatuses, type SyncStatus } from './status.ts';

/** Which syncs to replay. What is absent does not narrow. */
export interface ReplayFilter {
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  /** Default: the three error states. */
  readonly syncStatus?: SyncStatus | undefined;
}

/** One call replays at most so many; the next call takes the next. */
export const replayedMax = 10_000;

/**
 * Starts failed syncs afresh: they become PENDING with all their attempts before them. Those whose job is still there are
 * brought forward.
 * @returns how many, and warnings when some found no room in the queue (the sweep will see to them)
 */
export async function replay(
  store: Store,
  changed: Changed,
  filter: ReplayFilter,
): Promise<{ readonly replayed: number; readonly warnings: readonly string[] }> {
  const wanted = filter.syncStatus === undefined ? errorStatuses : [filter.syncStatus];
  const dirty = await markAll(
    store,
    sql`id in (
      select a.id from associations a join destinations d on d.id = a.destination_id
       where a.status = any(${wanted}::text[])
         and (${filter.type ?? null}::text is null or d.type = ${filter.type ?? null})
         and (${filter.name ?? null}::text is null or d.name = ${filter.name ?? null})
       order by a.id limit ${replayedMax} for update of a skip locked)`,
  );
  return { replayed: dirty.length, warnings: await changed(dirty) };
}
