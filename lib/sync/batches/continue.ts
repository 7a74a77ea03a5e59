import { sql } from 'kysely';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { errorLocation } from '#core/log/stack.ts';
import type { Queue } from '#queue/contract.ts';
import type { EnqueueDirty } from '#store/outbox.ts';
import { uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { loadSettings } from '../model/settings.ts';
import type { AssociateParts } from './associate.ts';
import { changePage } from './page.ts';
import { settlePage } from './settle.ts';

export interface BatchParts extends AssociateParts {
  readonly store: Store;
  readonly queue: Pick<Queue, 'pendingCount'>;
  readonly log: Log;
  /** Queues the associations that a page has changed. */
  readonly changed: EnqueueDirty;
}

/** Batches that get one page each before the order is computed again. */
const turnMax = 64;
/** Turns of a round in which batches only look for outcomes and find none. */
const idleTurnsMax = 10;

/**
 * Continues the open batches page by page until none can go on, or `signal` aborts. Namespaces take turns, and so do the batches within
 * a namespace. Each step may run twice, and concurrently with another sweep. Returns how many associations were changed.
 */
export async function continueBatches(parts: BatchParts, signal: AbortSignal): Promise<number> {
  let [changed, idle] = [0, 0];
  while (idle < idleTurnsMax && !signal.aborted) {
    const steps: Step[] = [];
    for (const id of await nextTurn(parts.store)) {
      if (signal.aborted) break;
      steps.push(await oneStep(parts, id));
    }
    changed += steps.reduce((sum, step) => sum + step.changed, 0);
    if (!steps.some(({ moved }) => moved)) {
      if (!steps.some(({ looks }) => looks)) break;
      idle += 1;
    }
  }
  return changed;
}

interface Step {
  readonly changed: number;
  /** It changed associations, came closer to some, or counted outcomes. */
  readonly moved: boolean;
  /** It has further items whose outcomes to look for. */
  readonly looks: boolean;
}

async function oneStep(parts: BatchParts, id: string): Promise<Step> {
  try {
    const { queue_capacity } = await loadSettings(parts.store);
    const room = Math.max(0, queue_capacity - (await parts.queue.pendingCount()));
    const page = await changePage(parts, id, room);
    // What the queue does not take now stays dirty, and the sweep queues it.
    if (page !== undefined && page.dirty.length > 0) await parts.changed(page.dirty);
    const settled = await settlePage(parts.store, id);
    const moved = page?.moved === true || (settled?.count ?? 0) > 0;
    return { changed: page?.dirty.length ?? 0, moved, looks: settled?.more === true };
  } catch (cause) {
    if (outageOf(cause) !== undefined) throw cause;
    parts.log.error({ batch: id, ...errorLocation(cause) }, 'a batch failed unexpectedly and was ended');
    await fail(parts.store, id);
    return { changed: 0, moved: false, looks: false };
  }
}

/** Otherwise every round would stop at the same batch. */
async function fail({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  await sql`
    update sync_batches
       set state = 'failed', error = 'failed unexpectedly: see the log of the sweep', finished_at = now()
     where id = ${id}::uuid and state in ('running', 'settling')`.execute(db);
}

async function nextTurn({ db }: Pick<Store, 'db'>): Promise<readonly string[]> {
  const { rows } = await rowsOf({ id: uuid })`
    select id from sync_batches where state in ('running', 'settling') or settled < marked
     order by row_number() over (partition by namespace_id order by turned_at, id), turned_at
     limit ${turnMax}::int`.execute(db);
  return rows.map(({ id }) => id);
}
