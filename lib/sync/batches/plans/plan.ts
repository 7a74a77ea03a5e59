import { sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncPlansTable } from '#store/tables/sync.ts';

/** A kept plan. It can be applied once until it expires, and each page that is added to it renews its time. */
export type KeptPlan = RowOf<typeof syncPlansTable>;

/** How long a plan can be applied after its last page was added. */
export const lifetimeSeconds = 3_600;
/** Plans of a namespace that can be applied at a time. */
export const plansMax = 50;
/** Associations for which one plan has something to do. */
export const itemsMax = 100_000;

export async function loadPlan(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  id: string,
): Promise<KeptPlan | undefined> {
  const { rows } = await rowsOf(syncPlansTable)`
    select * from sync_plans where id = ${id}::uuid and namespace_id = ${namespaceId} and ${isShown}`.execute(db);
  return rows[0];
}

/** The plans of a namespace, the newest first. */
export async function listPlans({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<readonly KeptPlan[]> {
  const { rows } = await rowsOf(syncPlansTable)`
    select * from sync_plans where namespace_id = ${namespaceId} and ${isShown}
     order by created_at desc, id limit ${listedMax}::int`.execute(db);
  return rows;
}

const listedMax = 500;

/** An applied plan shows its batch until it is pruned. */
const isShown = sql`(expires_at > now() or batch_id is not null)`;

/** Makes a plan expire. One that was applied stays until its batch has ended. */
export async function expirePlan({ db }: Pick<Store, 'db'>, namespaceId: string, id: string): Promise<void> {
  await sql`
    update sync_plans set expires_at = least(expires_at, now())
     where id = ${id}::uuid and namespace_id = ${namespaceId} and applied_at is null`.execute(db);
}

/** Plans and items of a plan that one round deletes. */
const prunedMax = 10;
const prunedItemsMax = 5_000;

/** Deletes plans that have expired, once no batch applies them any longer. A long one takes several rounds. */
export async function prunePlans({ db }: Pick<Store, 'db'>): Promise<void> {
  const { rows } = await rowsOf({ id: syncPlansTable.id })`
    select p.id from sync_plans p
     where p.expires_at <= now() and not exists (
       select 1 from sync_batches b
        where b.id = p.batch_id and (b.state in ('running', 'settling') or b.settled < b.marked))
     order by p.expires_at limit ${prunedMax}::int`.execute(db);
  for (const { id } of rows) await dropPlan(db, id);
}

/** The plan goes with its last items. */
async function dropPlan(db: Store['db'], id: string): Promise<void> {
  const { rows } = await rowsOf({ count: int })`
    with items as (
      delete from sync_plan_items where plan_id = ${id}::uuid and association_id = any(array(
        select association_id from sync_plan_items where plan_id = ${id}::uuid limit ${prunedItemsMax}::int))
      returning 1
    )
    select count(*)::int as count from items`.execute(db);
  if ((rows[0]?.count ?? 0) < prunedItemsMax) await sql`delete from sync_plans where id = ${id}::uuid`.execute(db);
}
