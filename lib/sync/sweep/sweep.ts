import { sql } from 'kysely';
import type { Log } from '../../core/log.ts';
import type { Queue } from '../../queue/contract.ts';
import type { Changed, Dirty } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import { continueMarkings } from '../marking/continue.ts';
import { noticeLineage } from '../marking/lineage.ts';
import { continuePurges, newPurgeState, type PurgeState } from '../purge/purges.ts';
import { markDueRechecks } from '../recheck/due.ts';
import { dirtyAfter, loadSettings } from './requeue.ts';

export interface SweepParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly log: Log;
  readonly changed: Changed;
  /** Marks what became out of date by the passing of time: versions whose deletion time has come. */
  readonly expire: () => Promise<readonly Dirty[]>;
}

/** Where the next sweep goes on: a sweep is bounded, a long backlog takes several. */
export interface SweepState {
  dirtyAfter: string;
  pendingCursor: string;
  readonly purges: PurgeState;
}

export const newSweepState = (): SweepState => ({ dirtyAfter: '0', pendingCursor: '0', purges: newPurgeState() });

const pageSize = 1_000;
const pagesMax = 10;
/** For so long one round marks associations of destinations that have changed. */
const markingMsMax = 1_000;
/** Of the pending set. */
const slicesMax = 10;

export interface Swept {
  readonly requeued: number;
  readonly waitingForRoom: number;
  readonly expired: number;
  /** Associations of destinations that have changed. */
  readonly marked: number;
  /** Associations whose destination is looked at again. */
  readonly rechecks: number;
}

/**
 * One round: notifies the sync of deletions that came by time, notices a failover of the database, goes on marking what changed with its destination, begins the rechecks that are due, queues every dirty association
 * that has no job (lost between commit and queue, lost by Redis, or left out while the queue was full), takes up jobs that wait
 * for a clock which was set back, takes pending entries away that nobody needs, and goes on with purges. Each step may run
 * twice and beside another sweep.
 */
export async function sweep(parts: SweepParts, state: SweepState): Promise<Swept> {
  const expired = await parts.expire();
  const settings = await loadSettings(parts.store);
  await (settings.disabled ? parts.queue.pause() : parts.queue.resume());
  await noticeLineage(parts);
  const marked = await continueMarkings(parts, AbortSignal.timeout(markingMsMax), { restShare: 0, looksMax: 0 });
  await continuePurges(parts.store, state.purges);
  const rechecks = await beginRechecks(parts, settings.queue_capacity);
  const { requeued, refused } = await requeueLost(parts, state, settings.queue_capacity);
  const stranded = await parts.queue.takeUpStranded();
  if (stranded > 0) parts.log.warn({ jobs: stranded }, 'jobs delayed were overdue by the clock of Redis: taken up now');
  await forgetUnneeded(parts, state);
  return { requeued, waitingForRoom: refused, expired: expired.length, marked, rechecks };
}

/** Those beyond the capacity stay dirty. */
async function beginRechecks({ store, queue }: SweepParts, capacity: number): Promise<number> {
  let begun = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const operations = await markDueRechecks(store, pageSize);
    await queue.enqueue(operations, capacity);
    begun += operations.length;
    if (operations.length < pageSize) break;
  }
  return begun;
}

async function requeueLost(parts: SweepParts, state: SweepState, capacity: number) {
  let requeued = 0;
  let refused = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const operations = await dirtyAfter(parts.store, state.dirtyAfter, pageSize);
    const missing = new Set(await parts.queue.missing(operations));
    const answer = await parts.queue.enqueue(
      operations.filter(({ id }) => missing.has(id)),
      capacity,
    );
    requeued += missing.size - answer.refused.length;
    refused += answer.refused.length;
    // Also where there is no capacity: further back may be some that have it already and lost their jobs.
    state.dirtyAfter = operations.length < pageSize ? '0' : (operations.at(-1)?.id ?? '0');
    if (state.dirtyAfter === '0') break;
  }
  return { requeued, refused };
}

async function forgetUnneeded({ store, queue }: SweepParts, state: SweepState): Promise<void> {
  for (let slice = 0; slice < slicesMax; slice += 1) {
    state.pendingCursor = await queue.forget(state.pendingCursor, (ids) => stillDirty(store, ids));
    if (state.pendingCursor === '0') return;
  }
}

async function stillDirty(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from associations
     where id = any(${ids}::bigint[]) and generation > observed_generation`.execute(store.db);
  return new Set(rows.map((row) => row.id));
}
