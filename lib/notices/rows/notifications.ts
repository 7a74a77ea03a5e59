import { sql } from 'kysely';
import { notFound } from '#core/errors.ts';
import { uuid as newId } from '#core/ids.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { listNames, pageFields } from '#path/listing.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { findNotification, type Notification, openTarget } from '../receivers/notification.ts';
import { post } from '../send/post.ts';
import { type Changed, changeNotification } from './change.ts';
import { type GivenNotification, name, notificationFields } from './fields.ts';
import type { NoticeParts } from './parts.ts';
import { notificationView } from './view.ts';

/** The rows `sys/sync/notifications`, and those of one of them. */
export function notificationRows(parts: NoticeParts): readonly Row[] {
  return [
    {
      pattern: 'sync/notifications/',
      help: 'Lists the notifications of the namespace: webhooks that tell events of the sync.',
      operations: {
        list: operation(pageFields, {
          summary: 'List notifications',
          run: (page, { namespace }) => listNames(page, (next) => namesAfter(parts, namespace.id, next)),
        }),
      },
    },
    {
      pattern: 'sync/notifications/:name',
      help: 'Manages a notification: a webhook that tells events of the sync. Its messages are signed. Whoever may write it decides who is told about every destination of the namespace.',
      exists: async (input, { namespace }) =>
        (await findNotification(parts.store, namespace.id, String(input['name']))) !== undefined,
      operations: {
        read: operation(name, {
          summary: 'Read a notification',
          run: async (input, context) => ({
            data: viewOf(parts, await required(parts, input.name, context), context),
          }),
        }),
        write: operation(notificationFields, {
          summary: 'Create or change a notification; omitted fields keep their values',
          knownFieldsOnly: true,
          run: (input, context) => change(parts, input, context, true),
        }),
        patch: operation(notificationFields, {
          summary: 'Change the given fields of a notification',
          knownFieldsOnly: true,
          run: (input, context) => change(parts, input, context, false),
        }),
        delete: operation(name, {
          summary: 'Delete a notification and its messages',
          async run(input, { namespace }) {
            await sql`delete from sync_notifications where namespace_id = ${namespace.id} and name = ${input.name}`.execute(
              parts.store.db,
            );
            return undefined;
          },
        }),
      },
    },
    {
      pattern: 'sync/notifications/:name/test',
      help: 'Sends a test message to the receiver now, and tells whether it took it.',
      operations: {
        write: operation(name, {
          summary: 'Send a test message',
          run: async (input, context) => sendTest(parts, await required(parts, input.name, context), context),
        }),
      },
    },
  ];
}

async function namesAfter({ store }: NoticeParts, namespaceId: string, page: { after: string; limit: number }) {
  const { rows } = await rowsOf({ name: text })`
    select name from sync_notifications where namespace_id = ${namespaceId} and name > ${page.after}
     order by namespace_id, name limit ${page.limit}::int`.execute(store.db);
  return rows.map((row) => row.name);
}

/** @throws AppError `not-found` */
export async function required(
  { store }: NoticeParts,
  wanted: string,
  { namespace }: Pick<RequestContext, 'namespace'>,
): Promise<Notification> {
  const found = await findNotification(store, namespace.id, wanted);
  if (found === undefined) throw notFound();
  return found;
}

const viewOf = (parts: NoticeParts, row: Notification, { vocabulary }: Pick<RequestContext, 'vocabulary'>): object =>
  notificationView(parts.definitions, row, openTarget(parts.store, row).url, vocabulary);

async function change(
  parts: NoticeParts,
  input: GivenNotification,
  context: RequestContext,
  creates: boolean,
): Promise<Reply> {
  const changed: Changed | undefined = await changeNotification(parts, input, context, creates);
  if (changed === undefined) throw notFound();
  const { row, madeSecret } = changed;
  return { data: { ...viewOf(parts, row, context), ...(madeSecret === undefined ? {} : { secret: madeSecret }) } };
}

/** Also sent while the notification is disabled. It is not kept. */
async function sendTest(
  { store, webhooks }: NoticeParts,
  row: Notification,
  { namespace, signal }: RequestContext,
): Promise<Reply> {
  const at = store.clock.now();
  const id = newId();
  const text = `a test message of the notification ${row.name}`;
  const body = JSON.stringify({ id: '0', kind: 'test', at: at.toISOString(), text, namespace: namespace.path });
  const target = openTarget(store, row);
  const began = performance.now();
  const attempt = await post(webhooks, target, { id, kind: 'test', body }, at, signal);
  const { delivered, status, error } = attempt ?? { delivered: false, status: null, error: 'the request ended first' };
  return { data: { delivered, status, error, id, duration_ms: Math.round(performance.now() - began) } };
}
