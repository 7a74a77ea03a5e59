import { sql, type Transaction } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { NotificationRow } from './view.ts';

type Db = Pick<Store, 'db'>;

/** By what messages go out; each way has its own turns. */
export const ways = ['webhook', 'email'] as const;
export type Way = (typeof ways)[number];

/** Receivers of one organization and way to which all processes together send at once. */
const ofOrganizationMax = 4;
/** Longer than a call takes: another process follows one that died at it. */
const claimSeconds = 60;
/** What a receiver waits for after failures in a row, doubled each time. */
const backOffSeconds = { first: 30, most: 900 };
/** Doublings that matter. */
const doublingsMax = 10;

/**
 * Claims receivers to which something may be sent now. Each is claimed by one process, and gets one message. Of many organizations each
 * has its first turn before any has its second one, and none has more than its share: receivers that hang hold up their own
 * organization alone.
 */
export async function claimReceivers({ db }: Db, way: Way, countMax: number): Promise<readonly NotificationRow[]> {
  const goesSo = sql`(settings->>'destination-type' = 'email') = ${way === 'email'}`;
  const { rows } = await sql<NotificationRow>`
    with recursive organizations (id) as (
      (select organization_id from ws_notifications where next_at is not null order by 1 limit 1)
      union all
      select (select n.organization_id from ws_notifications n
               where n.next_at is not null and n.organization_id > o.id order by 1 limit 1)
        from organizations o where o.id is not null
    ), due as (
      select d.id, d.next_at, d.turn
        from organizations o cross join lateral (
          select n.id, n.next_at, row_number() over (order by n.next_at) + (
                   select count(*) from ws_notifications c where c.organization_id = o.id and c.claimed_until > now() and ${goesSo}) as turn
            from (select id, next_at from ws_notifications
                   where organization_id = o.id and next_at <= now() and ${goesSo} order by next_at limit ${ofOrganizationMax}) n) d
       where o.id is not null and d.turn <= ${ofOrganizationMax}
       order by d.turn, d.next_at limit ${countMax}
    ), free as (
      select id from ws_notifications
       where id in (select id from due) and next_at <= now() and (claimed_until is null or claimed_until <= now())
         for no key update skip locked
    )
    update ws_notifications n
       set claimed_until = now() + make_interval(secs => ${claimSeconds}), next_at = now() + make_interval(secs => ${claimSeconds})
      from free where n.id = free.id returning n.*`.execute(db);
  return rows;
}

/** `put-back`: nothing came of the turn, which a process that ends has cut short. */
export type Turn = 'taken' | 'failed' | 'put-back';

/**
 * Ends the turn of a receiver in the transaction that has dropped what need not be sent again: it has its next one at once or after a
 * pause, or none when nothing waits.
 */
export async function endTurn(tx: Transaction<Database>, id: string, turn: Turn): Promise<void> {
  // Held first, so that the next statement sees what has been announced meanwhile, or its announcement waits for this one.
  await sql`select 1 from ws_notifications where id = ${id} for no key update`.execute(tx);
  const { first, most } = backOffSeconds;
  const pause = sql`least(${most}, ${first} * 2 ^ least(failures, ${doublingsMax}))`;
  await sql`
    update ws_notifications n
       set claimed_until = null,
           failures = ${turn === 'taken' ? sql`0` : turn === 'failed' ? sql`failures + 1` : sql`failures`},
           next_at = case when exists (select 1 from ws_deliveries d where d.notification_id = n.id)
                          then now() + make_interval(secs => ${turn === 'failed' ? pause : sql`0`}) end
     where id = ${id}`.execute(tx);
}

/** Gives receivers a turn for which something waits without one, such as what a process of a former version has announced. */
export async function wakeForgotten({ db }: Db, countMax: number): Promise<void> {
  await sql`
    update ws_notifications set next_at = now() where id in (
      select n.id from ws_notifications n
       where n.next_at is null and exists (select 1 from ws_deliveries d where d.notification_id = n.id)
       limit ${countMax} for no key update skip locked)`.execute(db);
}
