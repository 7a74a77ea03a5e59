import { sql, type Transaction } from 'kysely';
import type { Dirty } from '#store/outbox.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type AssociatedPage, type AssociateParts, associatePage } from './associate.ts';
import { type Batch, batchColumns, withFailed } from './batch.ts';
import { applying } from './plans/applying.ts';
import { ending, lookedMax, type RecordedChange, recorded, renewing, syncing } from './statements.ts';

/** Associations that one statement changes. */
export const pageSize = 500;

export interface PageParts extends AssociateParts {
  readonly store: Pick<Store, 'transaction'>;
}

/** `after`: the association up to which the batch has come; absent when it does not go by associations. */
interface ChangedPage extends AssociatedPage {
  readonly after?: string;
  /** Associations that are not as their plan says. */
  readonly missed?: number;
}

export interface BatchPage {
  readonly dirty: readonly Dirty[];
  /** False when it has to wait for capacity of the queue or for its rate, or has nothing left to change. */
  readonly moved: boolean;
}

/**
 * Changes the next associations of a batch and records them, in one transaction with the position of the batch. So a process that dies
 * leaves either all of it or nothing, and each association is changed once. Undefined when the batch is not running, or another
 * process has its turn.
 *
 * @param room how many operations the queue still accepts
 */
export async function changePage(parts: PageParts, id: string, room: number): Promise<BatchPage | undefined> {
  return parts.store.transaction(async (tx) => {
    const { rows } = await rowsOf({ ...batchColumns, allowed: int })`
      select *, ${allowed} as allowed from sync_batches where id = ${id}::uuid and state = 'running'
         for update skip locked`.execute(tx);
    const [batch] = rows;
    if (batch === undefined) return undefined;
    const left = batch.limit_count === null ? pageSize : batch.limit_count - batch.marked;
    const most = Math.min(pageSize, room, batch.allowed, left);
    if (left > 0 && most < 1) return wait(tx, id);
    const page = left > 0 ? await pageOf(tx, parts, batch, most) : { dirty: [], ended: true };
    if (typeof page === 'string') return stop(tx, id, page);
    const { after = batch.after_id, missed = 0 } = page;
    await sql`
      update sync_batches
         set after_id = ${after}::bigint, marked = marked + ${page.dirty.length + missed}::int, turned_at = clock_timestamp(),
             settled = settled + ${missed}::int, outcomes = ${JSON.stringify(withFailed(batch.outcomes, 'changed', missed))}::jsonb,
             stepped_at = case when ${page.dirty.length > 0} then clock_timestamp() else stepped_at end,
             state = case when ${page.ended} then 'settling' else state end
       where id = ${id}::uuid`.execute(tx);
    return { dirty: page.dirty, moved: true };
  });
}

/** How long a batch that had to wait may catch up, in seconds; long enough for one association at the slowest rate. */
const caughtUp = sql`greatest(10, 1.01 / rate)`;

const allowed = sql`case when rate is null then ${pageSize}::int else
  least(${pageSize}::int, floor(rate * least(extract(epoch from clock_timestamp() - stepped_at), ${caughtUp})))::int end`;

async function wait(tx: Transaction<Database>, id: string): Promise<BatchPage> {
  await sql`update sync_batches set turned_at = clock_timestamp() where id = ${id}::uuid`.execute(tx);
  return { dirty: [], moved: false };
}

async function stop(tx: Transaction<Database>, id: string, error: string): Promise<BatchPage> {
  await sql`
    update sync_batches set state = 'failed', error = ${error}, finished_at = now() where id = ${id}::uuid`.execute(tx);
  return { dirty: [], moved: true };
}

/** A text when the batch cannot go on. */
async function pageOf(
  tx: Transaction<Database>,
  parts: PageParts,
  batch: Batch,
  most: number,
): Promise<ChangedPage | string> {
  if (batch.destination_id !== null) return associatePage(tx, parts, batch, most);
  const change = changeOf(parts, batch);
  const { rows } = await (change ? recorded(batch, most, change) : syncing(batch, most)).execute(tx);
  const [first] = rows;
  const dirty = rows.flatMap(({ marked }) => (marked === null ? [] : [marked]));
  const isCut = (first?.wanted ?? 0) >= most && (first?.last_wanted ?? null) !== null;
  const after = (isCut ? first?.last_wanted : first?.last) ?? batch.after_id;
  const looksMax = change ? most : lookedMax;
  const missed = batch.action === 'apply' ? (first?.looked ?? 0) - (first?.wanted ?? 0) : 0;
  return { dirty, after, missed, ended: !isCut && (first?.looked ?? 0) < looksMax };
}

/** Undefined when the filter selects the associations at the time of each page. */
function changeOf({ definitions }: PageParts, { id, action }: Batch): RecordedChange | undefined {
  if (action === 'remove') return ending;
  if (action === 'set') return renewing(definitions);
  return action === 'apply' ? applying(id) : undefined;
}
