import { notFound } from '#path/jsonapi/error.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type ShownNotification, shownColumns, shownNotificationColumns } from './view.ts';

/** @throws ApiError 404 */
export async function readNotification({ db }: Pick<Store, 'db'>, id: string): Promise<ShownNotification> {
  const { rows } = await rowsOf(shownNotificationColumns)`
    select ${shownColumns} from ws_notifications n where n.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
