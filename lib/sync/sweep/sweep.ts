import type { Log } from '#core/log/log.ts';
import type { Queue } from '#queue/contract.ts';
import type { Dirty, EnqueueDirty } from '#store/outbox.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { AssociateParts } from '../batches/associate.ts';
import { continueBatches } from '../batches/continue.ts';
import { prunePlans } from '../batches/plans/plan.ts';
import { pruneBatches } from '../batches/store.ts';
import { markDueRechecks } from '../claim/rechecks.ts';
import { continueMarkings } from '../marking/continue.ts';
import { noticeLineage } from '../marking/lineage.ts';
import { loadSettings } from '../model/settings.ts';
import { type HistoryPlace, historyStart, pruneHistory } from '../records/history.ts';
import { continueRules } from '../rules/continue.ts';
import type { RulePorts } from '../rules/evaluate.ts';
import { slotSeconds } from '../samples/slots.ts';
import { takeSample } from '../samples/take.ts';
import { type CheckState, checkCounts, newCheckState } from './counts/check.ts';
import { foldCounts, foldedMax } from './counts/fold.ts';
import { continuePurges, newPurgeState, type PurgeState } from './purge/purges.ts';
import { dirtyAfter } from './requeue.ts';

export interface SweepParts extends AssociateParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly log: Log;
  readonly changed: EnqueueDirty;
  readonly rules: RulePorts;
  /** Marks associations whose secret changed by the passing of time: versions whose deletion time has come. */
  readonly expire: () => Promise<readonly Dirty[]>;
}

/** Where the next sweep continues: a sweep is bounded, so a long backlog takes several. */
export interface SweepState {
  dirtyAfter: string;
  pendingCursor: string;
  readonly purges: PurgeState;
  history: HistoryPlace;
  /** When the next sample is due, by `Date.now()`: other clocks may stop while a function is frozen. */
  sampleAtMs: number;
  readonly counts: CheckState;
}

export const newSweepState = (): SweepState => ({
  dirtyAfter: '0',
  pendingCursor: '0',
  purges: newPurgeState(),
  history: historyStart,
  sampleAtMs: 0,
  counts: newCheckState(),
});

const pageSize = 1_000;
const pagesMax = 10;
/** How long one round marks associations of changed destinations. */
const markingMsMax = 1_000;
/** How long one round continues batches. */
const batchMsMax = 1_000;
/** How long one round brings associations in line with standing rules. */
const ruleMsMax = 1_000;
/** How long one round prunes the history of attempts. */
const historyMsMax = 500;
/** How long one round folds changes of the counts of associations. */
const foldMsMax = 1_000;
/** Slices of the pending set per round. */
const slicesMax = 10;

export interface Swept {
  readonly requeued: number;
  readonly waitingForRoom: number;
  readonly expired: number;
  /** Associations marked because their destination changed. */
  readonly marked: number;
  /** Associations whose recheck began. */
  readonly rechecks: number;
}

/**
 * Runs one round: marks secrets whose deletion time has come, folds the counts of associations, takes a sample of the numbers, detects a failover of the
 * database, continues markings and purges, continues batches and standing rules, begins the rechecks that are due, queues every dirty association without a job (lost between commit and queue, lost by Redis,
 * or left out while the queue was full), takes up jobs delayed by a clock that was set back, and removes stale pending entries.
 * Each step may run twice and concurrently with another sweep.
 */
export async function sweep(parts: SweepParts, state: SweepState): Promise<Swept> {
  const expired = await parts.expire();
  const settings = await loadSettings(parts.store);
  // A sample has the arrivals that are folded.
  await foldChanges(parts);
  await sampleIfDue(parts, state, settings.queue_capacity);
  await (settings.disabled ? parts.queue.pause() : parts.queue.resume());
  await noticeLineage(parts);
  const marked = await continueMarkings(parts, AbortSignal.timeout(markingMsMax), { restShare: 0, looksMax: 0 });
  await continuePurges(parts.store, state.purges);
  await continueBatches(parts, AbortSignal.timeout(batchMsMax));
  await pruneBatches(parts.store);
  await prunePlans(parts.store);
  await continueRules(parts, AbortSignal.timeout(ruleMsMax));
  await pruneHistories(parts, state);
  await checkCounts(parts, state.counts);
  const rechecks = await beginRechecks(parts, settings.queue_capacity);
  const { requeued, refused } = await requeueLost(parts, state, settings.queue_capacity);
  const stranded = await parts.queue.promoteStranded();
  if (stranded > 0)
    parts.log.warn({ jobs: stranded }, 'delayed jobs were overdue by the clock of Redis and are started now');
  await forgetUnneeded(parts, state);
  return { requeued, waitingForRoom: refused, expired: expired.length, marked, rechecks };
}

/** Takes the sample of a slot once, also while Redis is unavailable. */
async function sampleIfDue(parts: SweepParts, state: SweepState, capacity: number): Promise<void> {
  const waitMs = state.sampleAtMs - Date.now();
  // A longer wait means that the clock was set back.
  if (waitMs > 0 && waitMs <= slotSeconds * 1_000) return;
  const { leftMs } = await takeSample(parts, capacity);
  state.sampleAtMs = Date.now() + leftMs;
}

/** Looks at a few pages of the history of attempts, from where the last round ended. */
async function pruneHistories({ store }: SweepParts, state: SweepState): Promise<void> {
  const over = AbortSignal.timeout(historyMsMax);
  for (let page = 0; page < pagesMax && !over.aborted; page += 1) {
    state.history = await pruneHistory(store, state.history);
    if (state.history === historyStart) return;
  }
}

async function foldChanges({ store, log }: SweepParts): Promise<void> {
  const over = AbortSignal.timeout(foldMsMax);
  while ((await foldCounts(store)) === foldedMax) {
    if (!over.aborted) continue;
    log.warn({}, 'changes of the counts of associations are left for the next round: reads of the counts may be slow');
    return;
  }
}

/** Begins the rechecks that are due. Those that exceed the capacity stay dirty. */
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
      operations.filter(({ id, waiting }) => waiting || missing.has(id)),
      capacity,
    );
    requeued += missing.size - answer.refused.filter((id) => missing.has(id)).length;
    refused += answer.refused.length;
    // Continue even when the queue is full: later associations may already hold capacity and have lost their jobs.
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
  const { rows } = await rowsOf({ id: text })`
    select id::text as id from associations
     where id = any(${ids}::bigint[]) and generation > observed_generation`.execute(store.db);
  return new Set(rows.map((row) => row.id));
}
