import { sql, type Transaction } from 'kysely';
import { uuid as newId } from '#core/ids.ts';
import { rootNamespace } from '#core/namespace.ts';
import { bool, int, text, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { type EventKind, eventColumns, eventView, type NewEvent, type SyncEvent } from '../events/event.ts';
import { keptMax } from '../events/page.ts';
import { endedMax, waitingMax } from '../receivers/delivery.ts';
import { filterColumns, tells } from '../receivers/notification.ts';

/**
 * Takes the right to tell events of a namespace until the end of the transaction. False: another process has it, or the namespace is
 * being deleted. Numbers of events therefore grow in the order of the commits, and a reader who has seen a number misses none below it.
 */
export async function holdsNamespace(tx: Transaction<Database>, namespaceId: string): Promise<boolean> {
  const { rows } = await rowsOf({ held: bool, exists: bool })`
    select pg_try_advisory_xact_lock(hashtext('sync_events'), hashtext(${namespaceId})) as held,
           ${namespaceId} = ${rootNamespace.id} or exists (
             select 1 from namespaces where id = ${namespaceId} and deleted_at is null) as exists`.execute(tx);
  return rows[0]?.held === true && rows[0].exists;
}

/**
 * Stores events of a namespace, whose right the transaction holds, and queues a message for each webhook that tells them. A batch that was
 * told is left out. Returns the kinds of the stored events.
 */
export async function recordEvents(
  tx: Transaction<Database>,
  namespaceId: string,
  events: readonly NewEvent[],
): Promise<readonly EventKind[]> {
  if (events.length === 0) return [];
  const input = events.map(({ kind, destination, batchId, details }, n) => {
    return { n, kind, type: destination?.type, name: destination?.name, batch_id: batchId, details };
  });
  const { rows } = await rowsOf(eventColumns)`
    insert into sync_events (namespace_id, kind, type, name, batch_id, details)
    select ${namespaceId}, i.kind, i.type, i.name, i.batch_id, i.details
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
        as i(n int, kind text, type text, name text, batch_id uuid, details jsonb)
     order by i.n
        on conflict (batch_id) where batch_id is not null do nothing
    returning id, occurred_at, kind, type, name, details`.execute(tx);
  await sql`
    delete from sync_events where namespace_id = ${namespaceId} and id <= (
      select id from sync_events where namespace_id = ${namespaceId}
       order by namespace_id desc, id desc offset ${keptMax}::int limit 1)`.execute(tx);
  await queueMessages(tx, namespaceId, rows);
  return rows.map(({ kind }) => kind);
}

const receiverColumns = { id: uuid, ...filterColumns, waiting: int, path: text };

/** Receivers are locked in one order, since the end of a turn looks for waiting messages. */
async function queueMessages(tx: Transaction<Database>, namespaceId: string, events: readonly SyncEvent[]) {
  if (events.length === 0) return;
  await sql`select 1 from sync_notifications where namespace_id = ${namespaceId} order by id for no key update`.execute(
    tx,
  );
  const { rows: receivers } = await rowsOf(receiverColumns)`
    select n.id, n.kinds, n.destinations, coalesce(s.path, '') as path,
           (select count(*)::int from sync_deliveries d where d.notification_id = n.id and d.state = 'waiting') as waiting
      from sync_notifications n left join namespaces s on s.id = n.namespace_id
     where n.namespace_id = ${namespaceId} and not n.disabled order by n.id`.execute(tx);
  for (const { id, waiting, path, ...filter } of receivers) {
    const messages = events.filter((event) => tells(filter, withDestination(event)));
    if (messages.length > 0) await queueFor(tx, id, Math.max(0, waitingMax - waiting), path, messages);
  }
}

const withDestination = ({ kind, type, name }: SyncEvent) =>
  type === null || name === null ? { kind } : { kind, destination: { type, name } };

const tooMany = `more than ${waitingMax} messages wait for this receiver`;

/** Messages that exceed `room` are dead at once: their number must not grow while a receiver is away. */
async function queueFor(
  tx: Transaction<Database>,
  receiverId: string,
  room: number,
  namespace: string,
  events: readonly SyncEvent[],
): Promise<void> {
  const input = events.map((event, n) => {
    const { kind, type, name } = event;
    return {
      n,
      id: newId(),
      event_id: event.id,
      kind,
      type,
      name,
      body: JSON.stringify({ ...eventView(event), namespace }),
    };
  });
  await sql`
    insert into sync_deliveries (id, notification_id, event_id, kind, type, name, body, next_at, state, error)
    select i.id, ${receiverId}::uuid, i.event_id, i.kind, i.type, i.name, i.body, now(),
           case when i.n < ${room}::int then 'waiting' else 'dead' end, case when i.n >= ${room}::int then ${tooMany} end
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
        as i(n int, id uuid, event_id bigint, kind text, type text, name text, body text)
     order by i.n`.execute(tx);
  await sql`update sync_notifications set turn_at = least(turn_at, now()) where id = ${receiverId}::uuid`.execute(tx);
  await sql`
    delete from sync_deliveries where notification_id = ${receiverId}::uuid and state <> 'waiting' and n <= (
      select n from sync_deliveries where notification_id = ${receiverId}::uuid and state <> 'waiting'
       order by notification_id desc, n desc offset ${endedMax}::int limit 1)`.execute(tx);
}
