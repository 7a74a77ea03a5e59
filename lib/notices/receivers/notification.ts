import { z } from 'zod';
import { Secret } from '#core/secret.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncNotificationsTable } from '#store/tables/notices.ts';

/** Notifications of one namespace. */
export const notificationsMax = 50;

/** A webhook as stored. */
export type Notification = RowOf<typeof notificationColumns>;

export const notificationColumns = syncNotificationsTable;

/** Where a webhook is sent, and the key that signs it. */
export interface Target {
  readonly url: string;
  readonly secret: Secret;
}

const storedTarget = z.strictObject({ url: z.string(), secret: z.string() });

const sealedName = (id: string): string => `sync_notifications/${id}`;

/** The address is sealed too: those of chat services are credentials. */
export const sealTarget = ({ barrier }: Pick<Store, 'barrier'>, id: string, { url, secret }: Target): Buffer =>
  barrier.seal(JSON.stringify({ url, secret: secret.reveal() }), sealedName(id));

export function openTarget({ barrier }: Pick<Store, 'barrier'>, { id, target }: Pick<Notification, 'id' | 'target'>) {
  const { url, secret } = storedTarget.parse(JSON.parse(barrier.open(target, sealedName(id)).toString()));
  return { url, secret: new Secret(secret) } satisfies Target;
}

export async function findNotification(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  name: string,
): Promise<Notification | undefined> {
  const { rows } = await rowsOf(notificationColumns)`
    select * from sync_notifications where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
  return rows[0];
}

/** What decides whether a webhook tells an event. */
export const filterColumns = pick(syncNotificationsTable, 'kinds', 'destinations');

interface Told {
  readonly kind: string;
  readonly destination?: { readonly type: string; readonly name: string };
}

/** Whether a webhook tells an event. A filter on destinations selects no events that concern none. */
export function tells({ kinds, destinations }: RowOf<typeof filterColumns>, { kind, destination }: Told): boolean {
  if (kinds.length > 0 && !kinds.includes(kind)) return false;
  if (destinations.length === 0) return true;
  return destination !== undefined && destinations.some((pattern) => matches(pattern, destination));
}

/** `type/name`, where the type may be `*`, and the name may have `*` for any characters. */
function matches(pattern: string, { type, name }: { readonly type: string; readonly name: string }): boolean {
  const at = pattern.indexOf('/');
  const [wantedType, wantedName] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return (wantedType === '*' || wantedType === type) && matchesParts(wantedName.split('*'), name);
}

/** Finds the parts in their order, each at its first place, so that no pattern takes long. */
function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}
