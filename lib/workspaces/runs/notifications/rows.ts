import { sql } from 'kysely';
import { badRequest, notFound } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { create, type, update } from './change.ts';
import { deliver } from './deliver.ts';
import { type OwnerKind, ownerKinds } from './owners.ts';
import { notificationOf, ownerOf, type ShownNotification, shownColumns } from './view.ts';

const one = `/api/v2/${type}/:notification_id`;

/** Receivers of messages about runs, webhooks and e-mail: of one workspace, of all workspaces of a project, or of those that a team has access to. */
export const notificationRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...ownerKinds.flatMap((kind) => rowsOf(parts, kind)),
  {
    method: 'GET',
    path: one,
    summary: 'A notification configuration',
    run: async (call) => ({ data: notificationOf(await managed(parts, call)) }),
  },
  {
    method: 'PATCH',
    path: one,
    summary: 'Changes a notification configuration',
    async run(call) {
      const before = await managed(parts, call);
      await update(parts, call, before);
      return { data: notificationOf(await read(parts, before.id)) };
    },
  },
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
      async run(call) {
        const id = await create(parts, call, kind, await ownerIn(parts, call, kind));
        return { status: 201, data: notificationOf(await read(parts, id)) };
      },
    },
  ];
}

async function list(parts: WorkspaceParts, call: ApiCall, kind: OwnerKind): Promise<ApiReply> {
  const condition = sql`${sql.ref(kind.column)} = ${await ownerIn(parts, call, kind)}`;
  const page = pageOf(call.query);
  const { rows } = await sql<ShownNotification & { readonly total: number }>`
    select ${shownColumns}, (select count(*)::int from ws_notifications where ${condition}) as total
      from ws_notifications n where ${condition} order by created_at, id
     limit ${page.size} offset ${page.offset}`.execute(parts.store.db);
  return { data: rows.map(notificationOf), page: told(page, rows[0]?.total ?? 0) };
}

async function verify(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const row = await managed(parts, call);
  const message = {
    payload_version: 1,
    notification_configuration_id: row.id,
    notifications: [{ trigger: 'verification' }],
  };
  const payload = { ...message, message: 'Verification of a notification' };
  const { delivery } = await deliver(parts.store, parts, row, { payload, settled: [] });
  if (delivery?.successful !== 'true')
    throw badRequest('the receiver did not take the message: delivery-responses say why');
  return { data: notificationOf(await managed(parts, call)) };
}

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
async function managed(parts: WorkspaceParts, { caller, parameters }: ApiCall): Promise<ShownNotification> {
  const row = await read(parts, parameters['notification_id'] ?? '');
  const { kind, ownerId } = ownerOf(row);
  await kind.mustManage(parts.store, caller, ownerId);
  return row;
}

/** @throws ApiError 404 */
async function read({ store }: WorkspaceParts, id: string): Promise<ShownNotification> {
  const { rows } = await sql<ShownNotification>`
    select ${shownColumns} from ws_notifications n where n.id = ${id}`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
