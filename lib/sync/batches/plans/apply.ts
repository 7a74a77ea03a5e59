import { sql, type Transaction } from 'kysely';
import { conflict, notFound } from '#core/errors.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncPlansTable } from '#store/tables/sync.ts';
import type { Database } from '#store/tables.ts';
import type { RecordFilter } from '../../records/filter.ts';
import { insertBatch } from '../store.ts';
import { changesSince } from './changes.ts';
import type { KeptPlan } from './plan.ts';

/**
 * Starts the batch that does what a plan says and nothing else. Returns its id.
 * @throws AppError `not-found`; `conflict` when the plan was applied or has expired, or when anything that it is based on has changed
 */
export async function applyPlan(
  store: Pick<Store, 'transaction'>,
  namespaceId: string,
  id: string,
  rate: number | null,
): Promise<string> {
  return store.transaction(async (tx) => {
    const plan = await held(tx, namespaceId, id);
    const changes = await changesSince(tx, id);
    if (changes.length > 0)
      throw conflict([
        `nothing was done: since the plan was made, ${counted(changes)} changed: plan again`,
        ...changes,
      ]);
    const all = { namespaceId, filter: await filterOf(tx, id), updatedBefore: null, limit: null };
    const batchId = await insertBatch(tx, { ...all, action: 'apply', rate, total: plan.items });
    await sql`
      insert into sync_batch_items (batch_id, association_id)
      select ${batchId}::uuid, association_id from sync_plan_items where plan_id = ${id}::uuid`.execute(tx);
    await sql`
      update sync_plans set applied_at = now(), batch_id = ${batchId}::uuid where id = ${id}::uuid`.execute(tx);
    return batchId;
  });
}

/** The destination of a plan that has one, or the type of one that has one: who may read these may read the batch. */
async function filterOf(tx: Transaction<Database>, id: string): Promise<RecordFilter> {
  const { rows } = await rowsOf({ count: int, types: int, type: text, name: text })`
    select count(*)::int as count, count(distinct type)::int as types, coalesce(min(type), '') as type, coalesce(min(name), '') as name
      from sync_plan_destinations where plan_id = ${id}::uuid`.execute(tx);
  const { count, types, type, name } = rows[0] ?? { count: 0, types: 0, type: '', name: '' };
  if (types !== 1) return {};
  return count === 1 ? { type, name } : { type };
}

const counted = ({ length }: readonly string[]): string => (length === 1 ? 'this' : 'these');

async function held(tx: Transaction<Database>, namespaceId: string, id: string): Promise<KeptPlan> {
  const { rows } = await rowsOf(syncPlansTable)`
    select * from sync_plans where id = ${id}::uuid and namespace_id = ${namespaceId} for update`.execute(tx);
  const [plan] = rows;
  if (plan === undefined) throw notFound();
  if (plan.applied_at !== null)
    throw conflict([
      `the plan was applied at ${plan.applied_at.toISOString()} by the batch ${plan.batch_id}: plan again`,
    ]);
  if (plan.expires_at <= (await timeOf(tx)))
    throw conflict([`the plan expired at ${plan.expires_at.toISOString()}: plan again`]);
  return plan;
}

async function timeOf(tx: Transaction<Database>): Promise<Date> {
  const { rows } = await rowsOf({ now: syncPlansTable.expires_at })`select now()`.execute(tx);
  return rows[0]?.now ?? new Date();
}
