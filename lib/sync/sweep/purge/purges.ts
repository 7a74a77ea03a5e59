import { bigintText, bool, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { dropPurged } from '../../claim/finish.ts';
import { beginning, type Cursor, purgePage } from './page.ts';

/** How far the sweep has come. Losing it costs only time: everything is looked at once more. */
export interface PurgeState {
  /** The destination whose purge was handled last; '0' starts from the first. */
  after: string;
  /** By destination. */
  readonly walks: Map<string, Walk>;
}

interface Walk {
  /** When the purge of this walk began. */
  readonly began: string;
  /** Undefined once all associations have been marked for removal. */
  readonly at: Cursor | undefined;
}

export const newPurgeState = (): PurgeState => ({ after: '0', walks: new Map() });

/** Pages of associations, and destinations, that one round handles at most. */
const pagesMax = 10;
const destinationsMax = 1_000;
/** Maximum number of remembered walks. */
const walksMax = 10_000;

/**
 * Continues purges: marks further associations for removal and deletes destinations that have none left. The purge request
 * itself marks only the first page. Each step may run twice, and concurrently with another sweep.
 */
export async function continuePurges(store: Store, state: PurgeState): Promise<void> {
  const purges = await purgesAfter(store, state.after);
  if (state.walks.size > walksMax) state.walks.clear();
  let pages = 0;
  for (const { id, began, empty } of purges) {
    if (!empty) pages += await walk(store, state, { id, began }, pagesMax - pages);
    // The next round starts with the destination at which the pages ran out.
    if (pages >= pagesMax) break;
    state.after = id;
  }
  if (pages < pagesMax && purges.length < destinationsMax) state.after = '0';
  const ended = purges.filter(({ empty }) => empty).map(({ id }) => id);
  if (ended.length > 0) await dropPurged(ended).execute(store.db);
}

interface Purge {
  readonly id: string;
  readonly began: string;
}

const purgeColumns = { id: bigintText, began: text, empty: bool };

/** Returns how many pages it took. */
async function walk(store: Store, { walks }: PurgeState, { id, began }: Purge, pagesLeft: number): Promise<number> {
  const before = walks.get(id);
  let at = before?.began === began ? before.at : beginning;
  let pages = 0;
  let skipped = false;
  for (; at !== undefined && !skipped && pages < pagesLeft; pages += 1) {
    const from = at;
    const page = await store.transaction((tx) => purgePage(tx, id, from));
    skipped = page.skipped;
    at = skipped ? from : page.last;
  }
  walks.set(id, { began, at });
  return pages;
}

async function purgesAfter(store: Store, after: string): Promise<readonly (Purge & { readonly empty: boolean })[]> {
  const { rows } = await rowsOf(purgeColumns)`
    select id::text as id, purge_initiated_at::text as began,
           not exists (select 1 from associations a where a.destination_id = d.id) as empty
      from destinations d
     where purge_initiated_at is not null and id > ${after}::bigint
     order by d.id limit ${destinationsMax}::int`.execute(store.db);
  return rows;
}
