import { type RawBuilder, sql, type Transaction } from 'kysely';
import { type Dirty, dirtyColumns, markDirty, resetAttempts } from '#store/outbox.ts';
import { objectOf } from '#store/sql/columns.ts';
import { bigintText, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isRemnant } from '../model/status.ts';
import { type Batch, batchColumns } from './batch.ts';
import { along, filterOf, isSelected } from './walk.ts';

/** Associations that one statement changes, and that it looks at. */
export const pageSize = 500;
const lookedMax = 2_500;

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
export async function changePage(
  store: Pick<Store, 'transaction'>,
  id: string,
  room: number,
): Promise<BatchPage | undefined> {
  return store.transaction(async (tx) => {
    const { rows } = await rowsOf({ ...batchColumns, allowed: int })`
      select *, ${allowed} as allowed from sync_batches where id = ${id}::uuid and state = 'running'
         for update skip locked`.execute(tx);
    const [batch] = rows;
    if (batch === undefined) return undefined;
    const left = batch.limit_count === null ? pageSize : batch.limit_count - batch.marked;
    const most = Math.min(pageSize, room, batch.allowed, left);
    if (left > 0 && most < 1) return wait(tx, id);
    const page = left > 0 ? await pageOf(tx, batch, most) : { dirty: [], after: batch.after_id, ended: true };
    await sql`
      update sync_batches
         set after_id = ${page.after}::bigint, marked = marked + ${page.dirty.length}::int, turned_at = clock_timestamp(),
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

const pageColumns = {
  looked: int,
  last: nullable(bigintText),
  wanted: int,
  last_wanted: nullable(bigintText),
  marked: nullable(objectOf(dirtyColumns)),
};

async function pageOf(tx: Transaction<Database>, batch: Batch, most: number) {
  const statement = batch.action === 'remove' ? removing(batch, most) : syncing(batch, most);
  const { rows } = await statement.execute(tx);
  const [first] = rows;
  const dirty = rows.flatMap(({ marked }) => (marked === null ? [] : [marked]));
  const isCut = (first?.wanted ?? 0) >= most && (first?.last_wanted ?? null) !== null;
  const after = (isCut ? first?.last_wanted : first?.last) ?? batch.after_id;
  const looksMax = batch.action === 'remove' ? most : lookedMax;
  return { dirty, after, ended: !isCut && (first?.looked ?? 0) < looksMax };
}

const summary = sql`
  (select count(*)::int as looked, max(id)::text as last from page) as page
  cross join (select count(*)::int as wanted, max(id)::text as last_wanted from wanted) as wanted`;

/** Takes a page along an index first, whatever the filter then selects from it, so that the cost of a statement is bounded. */
function syncing(batch: Batch, most: number) {
  const { id, action, after_id, association_max } = batch;
  const wanted = filterOf(action, batch.filter);
  const selection = { namespaceId: batch.namespace_id, filter: wanted, updatedBefore: batch.updated_before };
  const how = action === 'force' ? ({ forced: sql`true`, forgotten: sql`false` } as const) : 'verify';
  return rowsOf(pageColumns)`
    with page as materialized (
      select id from associations
       where ${along(wanted)} and id > ${after_id}::bigint and id <= ${association_max}::bigint
       order by id limit ${lookedMax}::int
    ),
    wanted as materialized (
      select a.id from associations a join destinations d on d.id = a.destination_id
       where a.id = any(array(select id from page)) and ${isSelected(selection)}
       order by a.id limit ${most}::int for no key update of a
    ),
    marked as (${markDirty(sql`id = any(array(select id from wanted))`, how)}),
    noted as (
      insert into sync_batch_items (batch_id, association_id, generation)
      select ${id}::uuid, id::bigint, generation from marked on conflict do nothing
    )
    select page.looked, page.last, wanted.wanted, wanted.last_wanted, to_jsonb(marked) as marked
      from ${summary} left join marked on true`;
}

/** The items were recorded at the creation, when the rights to their secrets were checked. Those that have ended meanwhile are dropped. */
function removing({ id, after_id }: Batch, most: number) {
  const ofPage: RawBuilder<unknown> = sql`batch_id = ${id}::uuid and association_id = any(array(select id from page))`;
  return rowsOf(pageColumns)`
    with page as materialized (
      select association_id as id from sync_batch_items
       where batch_id = ${id}::uuid and generation is null and association_id > ${after_id}::bigint
       order by association_id limit ${most}::int
    ),
    wanted as materialized (
      select a.id from associations a where a.id = any(array(select id from page)) and not ${isRemnant('a')}
       order by a.id for no key update of a
    ),
    marked as (
      update associations set desired = 'absent', ${resetAttempts} where id = any(array(select id from wanted))
      returning id::text as id, type, destination_id::text as destination_id, generation::int as generation,
                next_attempt_at is not null as waiting
    ),
    noted as (
      update sync_batch_items i set generation = m.generation from marked m
       where i.batch_id = ${id}::uuid and i.association_id = m.id::bigint
    ),
    dropped as (delete from sync_batch_items where ${ofPage} and association_id not in (select id from wanted))
    select page.looked, page.last, wanted.wanted, wanted.last_wanted, to_jsonb(marked) as marked
      from ${summary} left join marked on true`;
}
