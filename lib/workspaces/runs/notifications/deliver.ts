import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { MessageParts } from '../../contract.ts';
import type { Attempt, Outgoing } from './attempt.ts';
import { mailed } from './mailed.ts';
import { posted } from './posted.ts';
import type { NotificationRow } from './view.ts';

/** Attempts that a configuration shows. */
const deliveriesMax = 10;

/** Sends a message to who wants to know of it, and notes what came of it. It does not throw for a receiver that fails. */
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
