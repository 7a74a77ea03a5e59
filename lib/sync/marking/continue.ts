import { setTimeout as delay } from 'node:timers/promises';
import type { EnqueueDirty } from '#store/outbox.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { markPage } from './page.ts';

export interface MarkingParts {
  readonly store: Pick<Store, 'db'>;
  /** Queues the associations that a page has marked. */
  readonly changed: EnqueueDirty;
}

/** How much of its time a process spends on marking. */
export interface MarkingPace {
  /** Pause after each page, as a share of the time that the page took. */
  readonly restShare: number;
  /** How often it retries pages that others have locked before it leaves them to others. */
  readonly looksMax: number;
}

/** Destinations that get one page each before the order is computed again. */
const turnMax = 64;
const lookAgainMs = 50;

/**
 * Marks page after page until nothing is left, the rest is locked by others, or `signal` aborts. Namespaces take turns, and so
 * do the destinations within a namespace, so that a destination with many associations does not delay the others. Returns
 * how many associations were marked.
 */
export async function continueMarkings(
  parts: MarkingParts,
  signal: AbortSignal,
  { restShare, looksMax }: MarkingPace,
): Promise<number> {
  let [marked, looks] = [0, 0];
  while (!signal.aborted) {
    const turn = await nextTurn(parts.store);
    if (turn.length === 0) break;
    const done = await markTurn(parts, turn, signal, restShare);
    marked += done.marked;
    if (done.isIdle && looks >= looksMax) break;
    looks = done.isIdle ? looks + 1 : 0;
    if (done.isIdle) await rest(lookAgainMs, signal);
  }
  return marked;
}

async function markTurn(
  { store, changed }: MarkingParts,
  destinations: readonly string[],
  signal: AbortSignal,
  restShare: number,
): Promise<{ readonly marked: number; readonly isIdle: boolean }> {
  let [marked, isIdle] = [0, true];
  for (const destination of destinations) {
    if (signal.aborted) break;
    const beganMs = performance.now();
    const page = await markPage(store, destination);
    if (page === undefined || page.state === 'stuck') continue;
    isIdle = false;
    marked += page.dirty.length;
    await changed(page.dirty);
    await rest((performance.now() - beganMs) * restShare, signal);
  }
  return { marked, isIdle };
}

const rest = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal }).catch(() => {});

async function nextTurn({ db }: Pick<Store, 'db'>): Promise<readonly string[]> {
  const { rows } = await rowsOf({ id: text })`
    select m.destination_id::text as id
      from markings m join destinations d on d.id = m.destination_id
     where d.purge_initiated_at is null or d.purge_error is not null
     order by row_number() over (partition by d.namespace_id order by m.turned_at, m.destination_id), m.turned_at
     limit ${turnMax}::int`.execute(db);
  return rows.map(({ id }) => id);
}
