import { sql } from 'kysely';
import { document } from '#path/jsonapi/input.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { operation } from '../../access/needs/operation.ts';
import type { FoundProject } from '../../access/project.ts';
import type { FoundTeam } from '../../access/team.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import { type ChangeParts, create, type, update } from './change.ts';
import { notificationFields } from './fields.ts';
import { readNotification } from './find.ts';
import { type OwnerKind, ownerKinds } from './owners.ts';
import { notificationOf, shownColumns, shownNotificationColumns } from './view.ts';

const one = '/api/v2/notification-configurations/:notification_id';
const body = document({ type, attributes: notificationFields, relationships: { users: ['users'] } });

/**
 * Webhooks and e-mail messages about runs: for one workspace, for all workspaces of a project, or for the workspaces that a team has
 * access to.
 */
export const notificationRows = (parts: ChangeParts): readonly ApiRow[] => {
  const { store } = parts;
  return [
    ...ownerKinds.flatMap((kind) => rowsOfOwner(parts, kind)),
    operation({
      method: 'GET',
      path: one,
      summary: 'Read a notification configuration',
      needs: { notification: 'manage' },
      replies: { 200: type },
      run: async ({ found }) => ({ data: notificationOf(await readNotification(store, found.id)) }),
    }),
    operation({
      method: 'PATCH',
      path: one,
      summary: 'Update a notification configuration',
      needs: { notification: 'manage' },
      body,
      replies: { 200: type, 400: unverified },
      async run({ found, body, origin }) {
        await update(parts, { ...body, origin }, await readNotification(store, found.id));
        return { data: notificationOf(await readNotification(store, found.id)) };
      },
    }),
    operation({
      method: 'DELETE',
      path: one,
      summary: 'Delete a notification configuration',
      needs: { notification: 'manage' },
      replies: { 204: null },
      async run({ found }) {
        await sql`delete from ws_notifications where id = ${found.id}`.execute(store.db);
        return undefined;
      },
    }),
  ];
};

const unverified = 'The receiver of an enabled configuration did not accept the verification request';

const rowsOfOwner = (parts: ChangeParts, kind: OwnerKind): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: kind.path,
    summary: `List the notification configurations of ${kind.noun}`,
    needs: kind.needs,
    query: { page: paged() },
    replies: { 200: [type] },
    run: ({ found, query }) => list(parts.store, kind, idOf(found), query.page),
  }),
  operation({
    method: 'POST',
    path: kind.path,
    summary: `Create a notification configuration of ${kind.noun}`,
    needs: kind.needs,
    body,
    replies: { 201: type, 400: unverified },
    async run({ found, body, origin }) {
      const id = await create(parts, { ...body, origin }, kind, idOf(found));
      return { status: 201, data: notificationOf(await readNotification(parts.store, id)) };
    },
  }),
];

function idOf(owner: FoundWorkspace | FoundProject | FoundTeam): string {
  if ('workspace' in owner) return owner.workspace.id;
  return 'team' in owner ? owner.team.id : owner.project.id;
}

async function list({ db }: Store, { column }: OwnerKind, ownerId: string, page: Page): Promise<ApiReply> {
  const condition = sql`${sql.ref(column)} = ${ownerId}`;
  const { rows } = await rowsOf({ ...shownNotificationColumns, total: int })`
    select ${shownColumns}, (select count(*)::int from ws_notifications where ${condition}) as total
      from ws_notifications n where ${condition} order by created_at, id
     limit ${page.size} offset ${page.offset}`.execute(db);
  return { data: rows.map(notificationOf), page: pageInfo(page, rows[0]?.total ?? 0) };
}
