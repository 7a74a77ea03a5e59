import { sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { badRequest, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { deliver } from './deliver.ts';
import { notificationFields, settingsOf } from './fields.ts';
import { type OwnerKind, ownerKinds } from './owners.ts';
import { type NotificationRow, notificationOf, ownerOf, tokenName } from './view.ts';

const type = 'notification-configurations';
const one = `/api/v2/${type}/:notification_id`;
/** Of one workspace, project or team. */
const notificationsMax = 20;

/** Webhooks that get messages about runs: of one workspace, of all workspaces of a project, or of those that a team has access to. */
export const notificationRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...ownerKinds.flatMap((kind) => rowsOf(parts, kind)),
  {
    method: 'GET',
    path: one,
    summary: 'A notification configuration',
    run: async (call) => ({ data: notificationOf(await managed(parts, call)) }),
  },
  { method: 'PATCH', path: one, summary: 'Changes a notification configuration', run: (call) => update(parts, call) },
  {
    method: 'DELETE',
    path: one,
    summary: 'Deletes a notification configuration',
    async run(call) {
      const { id } = await managed(parts, call);
      await sql`delete from ws_notifications where id = ${id}`.execute(parts.store.db);
      return undefined;
    },
  },
  {
    method: 'POST',
    path: `${one}/actions/verify`,
    summary: 'Sends a test message',
    run: (call) => verify(parts, call),
  },
];

function rowsOf(parts: WorkspaceParts, kind: OwnerKind): readonly ApiRow[] {
  const path = `/api/v2/${kind.type}/:${kind.column}/${type}`;
  return [
    {
      method: 'GET',
      path,
      summary: `Notification configurations of ${kind.noun}`,
      run: (call) => list(parts, call, kind),
    },
    {
      method: 'POST',
      path,
      summary: `Makes a notification configuration of ${kind.noun}`,
      run: (call) => create(parts, call, kind),
    },
  ];
}

async function list(parts: WorkspaceParts, call: ApiCall, kind: OwnerKind): Promise<ApiReply> {
  const condition = sql`${sql.ref(kind.column)} = ${await ownerIn(parts, call, kind)}`;
  const page = pageOf(call.query);
  const { rows } = await sql<NotificationRow & { readonly total: number }>`
    select n.*, (select count(*)::int from ws_notifications where ${condition}) as total
      from ws_notifications n where ${condition} order by created_at, id
     limit ${page.size} offset ${page.offset}`.execute(parts.store.db);
  return { data: rows.map(notificationOf), page: told(page, rows[0]?.total ?? 0) };
}

async function create(parts: WorkspaceParts, call: ApiCall, kind: OwnerKind): Promise<ApiReply> {
  const ownerId = await ownerIn(parts, call, kind);
  const column = sql.ref(kind.column);
  const sent = attributesOf(call, type, notificationFields);
  const id = newId('nc');
  const settings = JSON.stringify(settingsOf(sent));
  const { rows } = await sql<NotificationRow>`
    insert into ws_notifications (id, organization_id, ${column}, settings, token)
    select ${id}, o.organization_id, o.id, ${settings}, ${sealed(parts, id, sent.token)}
      from ${sql.table(`ws_${kind.type}`)} o
     where o.id = ${ownerId} and (select count(*) from ws_notifications where ${column} = ${ownerId}) < ${notificationsMax}
    returning *`.execute(parts.store.db);
  const [row] = rows;
  if (row === undefined)
    throw unprocessable(
      `There are ${notificationsMax} notification configurations of ${kind.noun}, the most that it may have: delete one first`,
    );
  return { status: 201, data: notificationOf(row) };
}

async function update(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const before = await managed(parts, call);
  const sent = attributesOf(call, type, notificationFields);
  const settings = settingsOf(sent, before.settings);
  // A stored token signs what goes to its own receiver only.
  const moved = settings.url !== before.settings.url && sent.token === undefined;
  const token = moved ? null : sent.token === undefined ? before.token : sealed(parts, before.id, sent.token);
  const { rows } = await sql<NotificationRow>`
    update ws_notifications set settings = ${JSON.stringify(settings)}, token = ${token}, updated_at = now(),
           failures = 0, next_at = case when next_at is not null then now() end
     where id = ${before.id} returning *`.execute(parts.store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: notificationOf(row) };
}

async function verify(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const row = await managed(parts, call);
  const message = {
    payload_version: 1,
    notification_configuration_id: row.id,
    notifications: [{ trigger: 'verification' }],
  };
  const taken = await deliver(parts.store, parts.webhooks, row, {
    ...message,
    message: 'Verification of a notification',
  });
  if (!taken) throw badRequest('the receiver did not take the message: delivery-responses say why');
  return { data: notificationOf(await managed(parts, call)) };
}

const sealed = ({ store }: WorkspaceParts, id: string, token: string | null | undefined): Buffer | null =>
  token === undefined || token === null || token === '' ? null : store.barrier.seal(token, tokenName(id));

/** The id of what the path names, for callers that may change its settings. @throws ApiError 404 */
async function ownerIn(
  { store }: WorkspaceParts,
  { caller, parameters }: ApiCall,
  { column, mustManage }: OwnerKind,
): Promise<string> {
  const id = parameters[column] ?? '';
  await mustManage(store, caller, id);
  return id;
}

/** @throws ApiError 404: it is not there, or the caller may not change settings of what it is of */
async function managed({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<NotificationRow> {
  const id = parameters['notification_id'] ?? '';
  const { rows } = await sql<NotificationRow>`select * from ws_notifications where id = ${id}`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  const { kind, ownerId } = ownerOf(row);
  await kind.mustManage(store, caller, ownerId);
  return row;
}
