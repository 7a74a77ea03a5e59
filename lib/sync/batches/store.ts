import { sql, type Transaction } from 'kysely';
import { badRequest } from '#core/errors.ts';
import { uuid as newId } from '#core/ids.ts';
import { int, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type Batch, type BatchAction, batchColumns, keptDays, keptMax, openMax } from './batch.ts';
import type { Selection } from './walk.ts';

export interface NewBatch extends Selection {
  readonly action: BatchAction;
  readonly limit: number | null;
  readonly rate: number | null;
  readonly total: number;
  /** The associations to set or remove; for other actions the filter decides at the time of each page. */
  readonly associations?: readonly string[];
  /** The secrets to associate with a destination. */
  readonly target?: NewTarget | undefined;
}

/** Secrets of a mount that a batch associates with a destination. */
export interface NewTarget {
  readonly destinationId: string;
  readonly mountId: string;
  readonly adopt: boolean;
  readonly secretNames: readonly string[];
}

/** Items per statement. */
const itemsMax = 5_000;

/** Stores a batch, from which the sweep continues. Returns its id. @throws AppError `bad-request` when too many are open */
export const createBatch = (store: Pick<Store, 'transaction'>, batch: NewBatch): Promise<string> =>
  store.transaction((tx) => insertBatch(tx, batch));

/** As `createBatch`, in a transaction. */
export async function insertBatch(tx: Transaction<Database>, batch: NewBatch): Promise<string> {
  const id = newId();
  const { namespaceId, action, filter, updatedBefore, limit, rate, total, associations = [], target } = batch;
  await sql`select pg_advisory_xact_lock(hashtext('sync_batches'), hashtext(${namespaceId}))`.execute(tx);
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from sync_batches
     where namespace_id = ${namespaceId} and state in ('running', 'settling')`.execute(tx);
  if ((rows[0]?.count ?? 0) >= openMax)
    throw badRequest(`${openMax} batches are open in this namespace: wait for one of them, or cancel one`);
  await sql`
    insert into sync_batches (id, namespace_id, action, filter, updated_before, limit_count, rate, total, destination_id, mount_id,
                              adopt, association_max)
    select ${id}::uuid, ${namespaceId}, ${action}, ${JSON.stringify(filter)}::jsonb, ${updatedBefore}::timestamptz, ${limit}::int, ${rate}::float8, ${total}::int,
           ${target?.destinationId ?? null}::bigint, ${target?.mountId ?? null}::uuid, ${target?.adopt ?? false}::boolean,
           last_value from associations_id_seq`.execute(tx);
  for (let from = 0; from < associations.length; from += itemsMax) {
    const page = associations.slice(from, from + itemsMax);
    await sql`
      insert into sync_batch_items (batch_id, association_id)
      select ${id}::uuid, unnest(${page}::bigint[])`.execute(tx);
  }
  for (let from = 0; from < (target?.secretNames.length ?? 0); from += itemsMax) {
    const page = target?.secretNames.slice(from, from + itemsMax);
    await sql`
      insert into sync_batch_secrets (batch_id, secret_name)
      select ${id}::uuid, unnest(${page}::text[])`.execute(tx);
  }
  return id;
}

export async function loadBatch(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  id: string,
): Promise<Batch | undefined> {
  const { rows } = await rowsOf(batchColumns)`
    select * from sync_batches where id = ${id}::uuid and namespace_id = ${namespaceId}`.execute(db);
  return rows[0];
}

/** The batches of a namespace, the newest first. */
export async function listBatches({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<readonly Batch[]> {
  const { rows } = await rowsOf(batchColumns)`
    select * from sync_batches where namespace_id = ${namespaceId}
     order by created_at desc, id limit ${keptMax + openMax}::int`.execute(db);
  return rows;
}

/** Ends a batch: no further association is changed. One that has ended already stays as it is. */
export async function cancelBatch({ db }: Pick<Store, 'db'>, namespaceId: string, id: string): Promise<void> {
  await sql`
    update sync_batches set state = 'canceled', finished_at = now()
     where id = ${id}::uuid and namespace_id = ${namespaceId} and state in ('running', 'settling')`.execute(db);
}

/** Batches that one round removes at most. */
const prunedMax = 20;

/**
 * Removes batches that ended long ago, or that are too many, with their items in steps. A batch that has waited that long for its last
 * outcomes is done without them. May run twice.
 */
export async function pruneBatches({ db }: Pick<Store, 'db'>): Promise<void> {
  await sql`
    update sync_batches set state = 'done', finished_at = now()
     where state = 'settling' and created_at < now() - ${keptDays}::int * interval '1 day'`.execute(db);
  const { rows } = await rowsOf({ id: uuid })`
    (select id from sync_batches where finished_at < now() - ${keptDays}::int * interval '1 day' limit ${prunedMax}::int)
    union
    (select id from (
       select id, row_number() over (partition by namespace_id order by finished_at desc) as place
         from sync_batches where finished_at is not null) as ended
      where place > ${keptMax}::int limit ${prunedMax}::int)`.execute(db);
  for (const { id } of rows) await dropBatch(db, id);
}

/** The batch goes with its last items. */
async function dropBatch(db: Store['db'], id: string): Promise<void> {
  const { rows } = await rowsOf({ count: int })`
    with items as (
      delete from sync_batch_items where batch_id = ${id}::uuid and association_id = any(array(
        select association_id from sync_batch_items where batch_id = ${id}::uuid limit ${itemsMax}::int))
      returning 1
    ),
    secrets as (
      delete from sync_batch_secrets where batch_id = ${id}::uuid and secret_name = any(array(
        select secret_name from sync_batch_secrets where batch_id = ${id}::uuid limit ${itemsMax}::int))
      returning 1
    )
    select greatest((select count(*) from items), (select count(*) from secrets))::int as count`.execute(db);
  if ((rows[0]?.count ?? 0) < itemsMax) await sql`delete from sync_batches where id = ${id}::uuid`.execute(db);
}
