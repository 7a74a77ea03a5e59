import { sql } from 'kysely';
import type { Store } from '#store/store.ts';
import type { MessageParts } from '../../contract.ts';
import type { NotificationRow } from '../notification-configurations/view.ts';
import type { Attempt, Outgoing } from './attempt.ts';
import { mailed } from './mailed.ts';
import { posted } from './posted.ts';

/** Attempts shown in the document of a configuration. */
const deliveriesMax = 10;

/** Sends a message to a receiver and records the result. A failing receiver does not throw. */
export async function deliver(
  store: Pick<Store, 'db' | 'barrier'>,
  parts: MessageParts,
  row: NotificationRow,
  message: Outgoing,
  signal?: AbortSignal,
): Promise<Attempt> {
  const attempt = await (row.settings['destination-type'] === 'email' ? mailed : posted)(
    store,
    parts,
    row,
    message,
    signal,
  );
  if (attempt.delivery === undefined) return attempt;
  await sql`
    update ws_notifications set deliveries = (
      select jsonb_agg(one.value order by one.n)
        from jsonb_array_elements(${JSON.stringify([attempt.delivery])}::jsonb || deliveries) with ordinality one (value, n)
       where one.n <= ${deliveriesMax})
     where id = ${row.id}`.execute(store.db);
  return attempt;
}
