import { sql, type Transaction } from 'kysely';
import type { JsonObject } from '#core/json/json.ts';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { Database } from '#store/tables.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { type NotificationSettings, type notificationFields, recipientsMax, settingsOf } from './fields.ts';
import type { OwnerKind } from './owners.ts';
import {
  type Candidate,
  type Delivery,
  type NotificationRow,
  type ShownNotification,
  tokenName,
  type Verify,
} from './view.ts';

export const type = 'notification-configurations';
/** Notification configurations of one workspace, project or team. */
const notificationsMax = 20;

/** A notification configuration in a request. */
interface SentNotification {
  /** Scheme and authority under which the client reaches this service: links in messages begin with it. */
  readonly origin: string;
  readonly attributes: Attributes<typeof notificationFields>;
  readonly related: { readonly users: readonly JsonObject[] | undefined };
}

export interface ChangeParts extends WorkspaceParts {
  readonly verify: Verify;
}

/** Creates a configuration of the given owner and returns its id. @throws ApiError 400, 422 */
export async function create(
  parts: ChangeParts,
  { attributes: sent, related, origin }: SentNotification,
  kind: OwnerKind,
  ownerId: string,
): Promise<string> {
  const column = sql.ref(kind.column);
  const id = newId('nc');
  const settings = settingsOf(sent);
  mustBeSendable(parts, settings);
  const users = usersOf(related.users, settings);
  const token = sealed(parts, id, sent.token);
  const deliveries = await verified(parts, { id, settings, token });
  await parts.store.transaction(async (tx) => {
    const { numAffectedRows } = await sql`
      insert into ws_notifications (id, organization_id, ${column}, settings, token, origin, deliveries)
      select ${id}, o.organization_id, o.id, ${JSON.stringify(settings)}, ${token}, ${origin}, ${JSON.stringify(deliveries)}
        from ${sql.table(`ws_${kind.type}`)} o
       where o.id = ${ownerId} and (select count(*) from ws_notifications where ${column} = ${ownerId}) < ${notificationsMax}`.execute(
      tx,
    );
    if (numAffectedRows === 0n)
      throw unprocessable(
        `${kind.noun} may have at most ${notificationsMax} notification configurations: delete one first`,
      );
    await setUsers(tx, id, users ?? []);
  });
  return id;
}

/** @throws ApiError 400, 404, 422 */
export async function update(
  parts: ChangeParts,
  { attributes: sent, related, origin }: SentNotification,
  before: ShownNotification,
): Promise<void> {
  const { id } = before;
  const settings = settingsOf(sent, before.settings);
  if (settings['destination-type'] !== before.settings['destination-type']) mustBeSendable(parts, settings);
  const users = usersOf(related.users, settings, before.user_ids);
  // A stored token signs messages to its own receiver only.
  const moved = settings.url !== before.settings.url && sent.token === undefined;
  const token = moved ? null : sent.token === undefined ? before.token : sealed(parts, id, sent.token);
  const deliveries = await verified(parts, { id, settings, token });
  await parts.store.transaction(async (tx) => {
    const { numAffectedRows } = await sql`
      update ws_notifications set settings = ${JSON.stringify(settings)}, token = ${token}, origin = ${origin},
             updated_at = now(), deliveries = ${JSON.stringify(deliveries)}::jsonb || deliveries,
             failures = 0, next_at = case when next_at is not null then now() end
       where id = ${id}`.execute(tx);
    if (numAffectedRows === 0n) throw notFound();
    if (users !== undefined) await setUsers(tx, id, users);
  });
}

/** Receivers of enabled configurations are verified whenever they are saved. @throws ApiError 400 */
async function verified({ verify }: ChangeParts, candidate: Candidate): Promise<readonly Delivery[]> {
  const delivery = candidate.settings.enabled ? await verify(candidate) : undefined;
  return delivery === undefined ? [] : [delivery];
}

/** @throws ApiError 422 for a destination type that this installation does not support */
function mustBeSendable({ mail }: WorkspaceParts, settings: NotificationSettings): void {
  if (settings['destination-type'] !== 'email' || mail !== undefined) return;
  const rule = 'this service has no mail server: its operator sets KEYFERRY_SMTP_URL and KEYFERRY_SMTP_FROM';
  throw invalidAttribute('destination-type', `Destination type email cannot be used, since ${rule}`);
}

/** Ids of the users that get e-mail; undefined keeps the present ones. @throws ApiError 422 */
function usersOf(
  related: readonly JsonObject[] | undefined,
  settings: NotificationSettings,
  before: readonly string[] = [],
): readonly string[] | undefined {
  const sent = related?.map(({ id }) => (typeof id === 'string' ? id : ''));
  if (settings['destination-type'] !== 'email') {
    if (sent !== undefined && sent.length > 0) throw unprocessable('users are for the destination type email only');
    return [];
  }
  const users = [...new Set(sent ?? before)];
  if (users.length + (settings['email-addresses'] ?? []).length > recipientsMax)
    throw unprocessable(`email-addresses and users may have at most ${recipientsMax} entries together`);
  return sent === undefined ? undefined : users;
}

/** The answer is the same for users of another organization and for those that do not exist. @throws ApiError 422 */
async function setUsers(tx: Transaction<Database>, id: string, users: readonly string[]): Promise<void> {
  await sql`delete from ws_notification_users where notification_id = ${id}`.execute(tx);
  if (users.length === 0) return;
  const { numAffectedRows } = await sql`
    insert into ws_notification_users (notification_id, organization_id, user_id)
    select n.id, m.organization_id, m.user_id
      from ws_notifications n join ws_memberships m on m.organization_id = n.organization_id and m.status = 'active'
     where n.id = ${id} and m.user_id = any((select ${users}::text[])::text[]) for key share of m`.execute(tx);
  if (numAffectedRows !== BigInt(users.length)) throw unprocessable('users must be members of the organization');
}

const sealed = (
  { store }: WorkspaceParts,
  id: NotificationRow['id'],
  token: string | null | undefined,
): Buffer | null =>
  token === undefined || token === null || token === '' ? null : store.barrier.seal(token, tokenName(id));
