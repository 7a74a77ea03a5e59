import { sql, type Transaction } from 'kysely';
import { fairTurns } from '#store/postgres/statements/tenants.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncNotificationsTable } from '#store/tables/notices.ts';
import type { Database } from '#store/tables.ts';
import type { Attempt } from './post.ts';
import { pauseMs } from './retry.ts';

/** Receivers of one namespace that are served at the same time, over all processes. */
export const ofNamespaceMax = 4;
/** Longer than a call takes. The end is a whole number of milliseconds, as a process can hold it. Afterwards another process may take over from one that died. */
const claimSeconds = 60;

/** The right to send a message to a receiver, for a limited time. */
export type Turn = RowOf<typeof turnColumns>;

const turnColumns = pick(syncNotificationsTable, 'id', 'target', 'failures', 'claimed_until');

const turns = {
  table: 'sync_notifications',
  tenant: 'namespace_id',
  due: 'turn_at',
  may: sql`not r.disabled and (r.paused_until is null or r.paused_until <= now())`,
  ofTenantMax: ofNamespaceMax,
};

/**
 * Claims receivers with due messages. Each is claimed by one process and gets one message. Every namespace gets its first turn before any
 * gets a second one, and none gets more than its share: receivers that hang delay only those of their own namespace.
 */
export async function claimTurns({ db }: Pick<Store, 'db'>, countMax: number): Promise<readonly Turn[]> {
  const { rows } = await rowsOf(turnColumns)`
    with recursive ${fairTurns({ ...turns, countMax })}
    update sync_notifications n set claimed_until = date_trunc('milliseconds', now()) + make_interval(secs => ${claimSeconds})
      from free where n.id = free.id returning n.id, n.target, n.failures, n.claimed_until`.execute(db);
  return rows;
}

/**
 * Ends a turn, in the transaction that settles its message. Undefined as the attempt: nothing was sent. Does nothing when the claim has
 * expired and another process has taken over.
 */
export async function endTurn(
  tx: Transaction<Database>,
  { id, claimed_until, failures: before }: Turn,
  attempt: Attempt | undefined,
): Promise<void> {
  const failures = attempt === undefined ? before : attempt.delivered ? 0 : before + 1;
  const restMs = attempt?.delivered === false ? pauseMs(failures) : null;
  await sql`
    update sync_notifications n
       set claimed_until = null, failures = ${failures}::int, paused_until = now() + ${restMs}::float8 * interval '1 millisecond',
           last_success_at = case when ${attempt?.delivered === true} then now() else last_success_at end,
           last_error_at = case when ${attempt?.delivered === false} then now() else last_error_at end,
           last_error = case when ${attempt?.delivered === false} then ${attempt?.error ?? null} else last_error end,
           turn_at = (select min(d.next_at) from sync_deliveries d where d.notification_id = n.id and d.state = 'waiting')
     where id = ${id}::uuid and claimed_until = ${claimed_until}`.execute(tx);
}

/** Locks the receiver: later statements of the transaction then see all messages queued meanwhile, or these wait for the transaction. */
export async function lockReceiver(tx: Transaction<Database>, { id }: Pick<Turn, 'id'>): Promise<void> {
  await sql`select 1 from sync_notifications where id = ${id}::uuid for no key update`.execute(tx);
}
