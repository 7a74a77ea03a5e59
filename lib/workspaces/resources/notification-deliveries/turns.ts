import { sql, type Transaction } from 'kysely';
import { fairTurns } from '#store/postgres/statements/tenants.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type NotificationRow, notificationColumns } from '../notification-configurations/view.ts';

type Db = Pick<Store, 'db'>;

/** Ways of sending messages. Each way has its own turns. */
export const ways = ['webhook', 'email'] as const;
export type Way = (typeof ways)[number];

/** Concurrent receivers of one organization and way, over all processes. */
const ofOrganizationMax = 4;
/** Longer than a call takes. Afterwards another process may take over from one that died. */
const claimSeconds = 60;
/** Pause after a failure, doubled with each consecutive one. */
const backOffSeconds = { first: 30, most: 900 };
/** Limit for the number of doublings. */
const doublingsMax = 10;

const turns = { table: 'ws_notifications', tenant: 'organization_id', due: 'next_at', ofTenantMax: ofOrganizationMax };

/**
 * Claims receivers with due messages. Each is claimed by one process and gets one message. Every organization gets its first turn
 * before any gets a second one, and none gets more than its share: hanging receivers delay only their own organization.
 */
export async function claimReceivers({ db }: Db, way: Way, countMax: number): Promise<readonly NotificationRow[]> {
  const usesWay = sql`(r.settings->>'destination-type' = 'email') = ${way === 'email'}`;
  const { rows } = await rowsOf(notificationColumns)`
    with recursive ${fairTurns({ ...turns, may: usesWay, counts: usesWay, countMax })}
    update ws_notifications n
       set claimed_until = now() + make_interval(secs => ${claimSeconds}), next_at = now() + make_interval(secs => ${claimSeconds})
      from free where n.id = free.id returning n.*`.execute(db);
  return rows;
}

/** `put-back`: the process ended and aborted the turn. */
export type Turn = 'taken' | 'failed' | 'put-back';

/**
 * Ends the turn of a receiver, in the transaction that deletes the finished message. Its next turn comes at once or after a pause;
 * without waiting messages there is none.
 */
export async function endTurn(tx: Transaction<Database>, id: string, turn: Turn): Promise<void> {
  // Lock first: the next statement then sees messages announced meanwhile, or their announcement waits for this transaction.
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

/** Gives a turn to receivers with waiting messages but no turn, such as those announced by a process of an older version. */
export async function wakeForgotten({ db }: Db, countMax: number): Promise<void> {
  await sql`
    update ws_notifications set next_at = now() where id in (
      select n.id from ws_notifications n
       where n.next_at is null and exists (select 1 from ws_deliveries d where d.notification_id = n.id)
       limit ${countMax} for no key update skip locked)`.execute(db);
}
