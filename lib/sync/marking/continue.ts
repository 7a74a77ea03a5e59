import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Changed } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import { markPage } from './page.ts';

export interface MarkingParts {
  readonly store: Pick<Store, 'db'>;
  /** Queues what a page has marked. */
  readonly changed: Changed;
}

/** How a process marks beside what else it does. */
export interface MarkingPace {
  /** The pause after each page, as a share of the time that the page took. */
  readonly restShare: number;
  /** How often it looks again at what is in other hands before it leaves that to others. */
  readonly looksMax: number;
}

/** Destinations of which one page is marked before the order is decided anew. */
const turnMax = 64;
const lookAgainMs = 50;

/**
 * Marks page after page until nothing is left, others are at what is left, or `signal` ends. Namespaces take turns, and in each
 * of them its destinations: a destination with many associations does not hold up the others. Answers how many were marked.
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
  const { rows } = await sql<{ id: string }>`
    select m.destination_id::text as id
      from markings m join destinations d on d.id = m.destination_id
     where d.purge_initiated_at is null or d.purge_error is not null
     order by row_number() over (partition by d.namespace_id order by m.turned_at, m.destination_id), m.turned_at
     limit ${turnMax}::int`.execute(db);
  return rows.map(({ id }) => id);
}
