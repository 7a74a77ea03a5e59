import { sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { oneOf } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncDeliveriesTable } from '#store/tables/notices.ts';

export const deliveryStates = ['waiting', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A message to a receiver. */
export type Delivery = RowOf<typeof deliveryColumns>;

export const deliveryColumns = { ...syncDeliveriesTable, state: oneOf(...deliveryStates) };

/** A message as lists show it, without its body. */
export type ListedDelivery = RowOf<typeof listedColumns>;

const { body: _body, ...listedColumns } = deliveryColumns;

/** Messages that wait for one receiver; further ones are dead from the start. */
export const waitingMax = 1_000;
/** Messages that are kept after their end, for each receiver, and for how many days. */
export const endedMax = 1_000;
export const keptDays = 7;

/** Deliveries of a webhook before a number, the newest first. */
export async function deliveriesBefore(
  { db }: Pick<Store, 'db'>,
  notificationId: string,
  {
    state,
    before,
    limit,
  }: { readonly state: DeliveryState | undefined; readonly before: string; readonly limit: number },
): Promise<readonly ListedDelivery[]> {
  const { rows } = await rowsOf(listedColumns)`
    select id, n, notification_id, event_id, kind, type, name, state, attempts, created_at, queued_at, next_at, attempted_at, status, error
      from sync_deliveries
     where notification_id = ${notificationId}::uuid and n < ${before}::bigint
       and (${state ?? null}::text is null or state = ${state ?? null})
     order by notification_id desc, n desc limit ${limit}::int`.execute(db);
  return rows;
}

export async function findDelivery(
  { db }: Pick<Store, 'db'>,
  notificationId: string,
  id: string,
): Promise<Delivery | undefined> {
  const { rows } = await rowsOf(deliveryColumns)`
    select * from sync_deliveries where notification_id = ${notificationId}::uuid and id = ${id}::uuid`.execute(db);
  return rows[0];
}

/** Lets a message wait again, as if it were new. */
export async function queueAgain(store: Pick<Store, 'transaction'>, { id, notification_id }: Delivery): Promise<void> {
  await store.transaction(async (tx) => {
    // The receiver first, as wherever both are locked.
    await sql`update sync_notifications set turn_at = now(), paused_until = null where id = ${notification_id}::uuid`.execute(
      tx,
    );
    await sql`
      update sync_deliveries set state = 'waiting', attempts = 0, queued_at = now(), next_at = now()
       where id = ${id}::uuid`.execute(tx);
  });
}

/** Deletes messages that are older than they are kept, whatever their state, at most so many. */
export async function pruneDeliveries({ db }: Pick<Store, 'db'>, countMax: number): Promise<void> {
  await sql`
    delete from sync_deliveries where id in (
      select id from sync_deliveries
       where queued_at < now() - make_interval(days => ${keptDays}) order by queued_at limit ${countMax}::int
         for update skip locked)`.execute(db);
}
