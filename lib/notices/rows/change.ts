import { sql, type Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { uuid as newId } from '#core/ids.ts';
import { Secret } from '#core/secret.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import {
  type Notification,
  notificationColumns,
  notificationsMax,
  openTarget,
  sealTarget,
} from '../receivers/notification.ts';
import {
  checkedKinds,
  checkedPatterns,
  checkedSecret,
  checkedUrl,
  type GivenNotification,
  newSecret,
} from './fields.ts';
import type { NoticeParts } from './parts.ts';

/** A stored notification, and its key when that was made here. */
export interface Changed {
  readonly row: Notification;
  readonly madeSecret: string | undefined;
}

/**
 * Creates a notification, or changes the fields that were sent. Undefined: there is none, and `creates` is false.
 * @throws AppError `bad-request`
 */
export function changeNotification(
  parts: NoticeParts,
  given: GivenNotification,
  { namespace, vocabulary }: Pick<RequestContext, 'namespace' | 'vocabulary'>,
  creates: boolean,
): Promise<Changed | undefined> {
  if (given.secret !== undefined && given.new_secret === true)
    throw badField(['secret', 'new_secret'], 'send either secret or new_secret');
  const sentUrl = given.url === undefined ? undefined : checkedUrl(parts, given.url);
  const sentSecret = given.secret === undefined ? undefined : checkedSecret(given.secret);
  const kinds = given.kinds === undefined ? undefined : checkedKinds(given.kinds ?? []);
  const destinations =
    given.destinations === undefined
      ? undefined
      : checkedPatterns(parts.definitions, given.destinations ?? [], vocabulary);
  return parts.store.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('sync_notifications'), hashtext(${namespace.id}))`.execute(tx);
    const found = await rowsOf(notificationColumns)`
      select * from sync_notifications where namespace_id = ${namespace.id} and name = ${given.name} for no key update`.execute(
      tx,
    );
    const [before] = found.rows;
    if (before === undefined && !creates) return undefined;
    if (before === undefined && sentUrl === undefined) throw badField('url', 'url is required');
    const stored = before && openTarget(parts.store, before);
    const madeSecret = given.new_secret === true || (stored ?? sentSecret) === undefined ? newSecret() : undefined;
    const id = before?.id ?? newId();
    const target = sealTarget(parts.store, id, {
      url: sentUrl ?? stored?.url ?? '',
      secret: new Secret(madeSecret ?? sentSecret ?? stored?.secret.reveal() ?? ''),
    });
    if (before === undefined) {
      const { rows } = await rowsOf({ count: int })`
        select count(*)::int as count from sync_notifications where namespace_id = ${namespace.id}`.execute(tx);
      if ((rows[0]?.count ?? 0) >= notificationsMax)
        throw badRequest(
          `this namespace has ${notificationsMax} notifications, the most it can have: delete one first`,
        );
    }
    const { rows } = await rowsOf(notificationColumns)`
      insert into sync_notifications (id, namespace_id, name, target, kinds, destinations, disabled)
      values (${id}::uuid, ${namespace.id}, ${given.name}, ${target}, ${kinds ?? []}::text[], ${destinations ?? []}::text[],
              ${given.disabled ?? false})
          on conflict (namespace_id, name) do update
         set target = excluded.target, updated_at = now(), failures = 0, paused_until = null,
             kinds = coalesce(${kinds ?? null}::text[], sync_notifications.kinds),
             destinations = coalesce(${destinations ?? null}::text[], sync_notifications.destinations),
             disabled = coalesce(${given.disabled ?? null}::boolean, sync_notifications.disabled)
      returning *`.execute(tx);
    const [row] = rows;
    if (before !== undefined) await bringForward(tx, id);
    return row && { row, madeSecret };
  });
}

/** A receiver that was mended gets what waits for it at once. */
async function bringForward(tx: Transaction<Database>, id: string): Promise<void> {
  await sql`update sync_deliveries set next_at = now() where notification_id = ${id}::uuid and state = 'waiting'`.execute(
    tx,
  );
  await sql`update sync_notifications set turn_at = least(turn_at, now()) where id = ${id}::uuid and turn_at is not null`.execute(
    tx,
  );
}
