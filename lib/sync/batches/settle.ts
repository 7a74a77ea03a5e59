import { sql } from 'kysely';
import { bigintText, bool, int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type Batch, batchColumns, type Outcomes, withFailed } from './batch.ts';

/** Items per statement. */
const pageSize = 2_000;

export interface Settled {
  /** How many outcomes were counted. */
  readonly count: number;
  /** There are further items. */
  readonly more: boolean;
}

/**
 * Counts the outcomes of the next items of a batch and deletes these items. An item has an outcome when its change is in line, or has
 * failed for good, and nothing newer is pending. Undefined when another process has the turn.
 */
export async function settlePage(store: Pick<Store, 'transaction'>, id: string): Promise<Settled | undefined> {
  return store.transaction(async (tx) => {
    const { rows } = await rowsOf(batchColumns)`
      select * from sync_batches where id = ${id}::uuid and (settled < marked or state = 'settling')
         for update skip locked`.execute(tx);
    const [batch] = rows;
    if (batch === undefined) return undefined;
    const found = (await outcomesOf(batch).execute(tx)).rows;
    const ended = found.filter(({ is_settled }) => is_settled);
    const count = ended.reduce((sum, one) => sum + one.count, 0);
    const looked = found.reduce((sum, one) => sum + one.count, 0);
    const after = looked < pageSize ? '0' : (found[0]?.last ?? '0');
    const isDone = batch.state === 'settling' && batch.settled + count >= batch.marked;
    await sql`
      update sync_batches
         set settled = settled + ${count}::int, settle_after = ${after}::bigint, turned_at = clock_timestamp(),
             outcomes = ${JSON.stringify(ended.reduce(withOutcome, batch.outcomes))}::jsonb,
             state = case when ${isDone} then 'done' else state end,
             finished_at = case when ${isDone} then now() else finished_at end
       where id = ${id}::uuid`.execute(tx);
    return { count, more: looked >= pageSize };
  });
}

const outcomeColumns = { is_settled: bool, status: text, kind: nullable(text), count: int, last: bigintText };

/** The planned generation was passed over, because a newer change arrived before it was synced. */
const overtaken = sql`a.observed_generation > p.generation and not exists (
  select 1 from sync_attempts t
   where t.association_id = a.id and t.generation = p.generation and t.outcome in ('synced', 'unsynced'))`;

const outcomesOf = ({ id, action, settle_after }: Batch) => rowsOf(outcomeColumns)`
  with page as materialized (
    select association_id, generation from sync_batch_items
     where batch_id = ${id}::uuid and association_id > ${settle_after}::bigint and generation is not null
     order by association_id limit ${pageSize}::int
  ),
  seen as materialized (
    select p.association_id, coalesce(a.status, 'UNSYNCED') as status,
           case when a.status like '%ERROR' then coalesce(a.error ->> 'kind', 'internal') when ${action === 'apply' ? overtaken : sql`false`} then 'changed' end as kind,
           a.id is null or (a.observed_generation >= p.generation and a.status <> 'PENDING') as is_settled
      from page p left join associations a on a.id = p.association_id
  ),
  dropped as (
    delete from sync_batch_items
     where batch_id = ${id}::uuid and association_id = any(array(select association_id from seen where is_settled))
  )
  select is_settled, status, kind, count(*)::int as count, (select max(association_id)::text from seen) as last
    from seen group by is_settled, status, kind`;

function withOutcome(
  sum: Outcomes,
  { status, kind, count }: { status: string; kind: string | null; count: number },
): Outcomes {
  if (kind !== null) return withFailed(sum, kind, count);
  const name = status === 'SYNCED' ? 'synced' : 'unsynced';
  return { ...sum, [name]: sum[name] + count };
}
