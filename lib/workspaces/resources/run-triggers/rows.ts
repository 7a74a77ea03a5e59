import { sql } from 'kysely';
import { badRequest, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { document } from '#path/jsonapi/input.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged, readBy } from '#path/jsonapi/query.ts';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { ApiCaller, ApiRow, DocumentReply } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsRunTriggersTable } from '#store/tables/workspaces.ts';
import { runLevels } from '../../access/levels.ts';
import { operation } from '../../access/needs/operation.ts';
import { type FoundWorkspace, findWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';

type TriggerRow = RowOf<typeof triggerColumns>;

const triggerColumns = { ...wsRunTriggersTable, workspace_name: text, source_name: text };

const ofWorkspace = '/api/v2/workspaces/:workspace_id/run-triggers';
const one = '/api/v2/run-triggers/:run_trigger_id';
/** Run triggers of one workspace. */
const triggersMax = 20;

/** Run triggers: an apply in one workspace, the source, queues a run in another. */
export const runTriggerRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofWorkspace,
    summary: 'List the run triggers of a workspace',
    needs: { workspace: 'read' },
    query: {
      direction: readBy(
        [{ name: 'filter[run-trigger][type]', required: true, schema: { enum: ['inbound', 'outbound'] } }],
        directionOf,
      ),
      page: paged(),
    },
    replies: { 200: ['run-triggers'] },
    run: ({ found, query }) => list(store, found, query),
  }),
  operation({
    method: 'POST',
    path: ofWorkspace,
    summary: 'Create a run trigger',
    needs: { workspace: 'admin' },
    body: document({ relationships: { sourceable: 'workspaces' } }),
    replies: { 201: 'run-triggers' },
    run: ({ found, body, caller }) => create(store, caller, found, body.related.sourceable),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a run trigger',
    needs: { workspace: 'read' },
    replies: { 200: 'run-triggers' },
    run: async ({ parameters }) => ({ data: triggerOf(await readTrigger(store, parameters.run_trigger_id)) }),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a run trigger',
    needs: { workspace: 'admin' },
    replies: { 204: null },
    async run({ parameters }) {
      await sql`delete from ws_run_triggers where id = ${parameters.run_trigger_id}`.execute(store.db);
      return undefined;
    },
  }),
];

type Db = Pick<Store, 'db'>;

const columns = sql`t.id, t.workspace_id, w.name as workspace_name, t.source_id, s.name as source_name, t.created_at`;
const source = sql`ws_run_triggers t join ws_workspaces w on w.id = t.workspace_id join ws_workspaces s on s.id = t.source_id`;

const triggerOf = (row: TriggerRow): Resource => ({
  id: row.id,
  type: 'run-triggers',
  attributes: {
    'workspace-name': row.workspace_name,
    'sourceable-name': row.source_name,
    'created-at': timeText(row.created_at),
  },
  relationships: { workspace: toOne('workspaces', row.workspace_id), sourceable: toOne('workspaces', row.source_id) },
  links: { self: `/api/v2/run-triggers/${row.id}` },
});

type Direction = 'inbound' | 'outbound';

/** @throws ApiError 400 */
function directionOf(query: URLSearchParams): Direction {
  const direction = query.get('filter[run-trigger][type]');
  if (direction === 'inbound' || direction === 'outbound') return direction;
  throw badRequest('filter[run-trigger][type] must be inbound or outbound');
}

async function list(
  { db }: Db,
  { workspace }: FoundWorkspace,
  { page, direction }: { readonly page: Page; readonly direction: Direction },
): Promise<DocumentReply> {
  const condition =
    direction === 'inbound' ? sql`t.workspace_id = ${workspace.id}` : sql`t.source_id = ${workspace.id}`;
  const { rows } = await rowsOf(triggerColumns)`
    select ${columns} from ${source} where ${condition} order by t.created_at, t.id
     limit ${page.size} offset ${page.offset}`.execute(db);
  const { rows: counted } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_run_triggers t where ${condition}`.execute(db);
  return { data: rows.map(triggerOf), page: pageInfo(page, counted[0]?.total ?? 0) };
}

/** The caller must be able to read the runs of the source. @throws ApiError 422 */
async function create(
  store: Db,
  caller: ApiCaller,
  { workspace }: FoundWorkspace,
  sent: { readonly id: string } | null | undefined,
): Promise<DocumentReply> {
  if (sent === undefined || sent === null) throw unprocessable('a sourceable workspace is required');
  const from = await findWorkspace(store, caller, { workspace_id: sent.id }).catch(() => undefined);
  if (
    from === undefined ||
    from.levels.runs < runLevels.read ||
    from.workspace.organization_id !== workspace.organization_id
  )
    throw unprocessable('Sourceable not found, or you are not authorized to use it.');
  if (from.workspace.id === workspace.id) throw unprocessable('a workspace cannot trigger runs of itself');
  const { rows } = await rowsOf({ id: text })`
    insert into ws_run_triggers (id, workspace_id, source_id)
    select ${newId('rt')}, ${workspace.id}, ${from.workspace.id}
     where (select count(*) from ws_run_triggers where workspace_id = ${workspace.id}) < ${triggersMax}
    on conflict (workspace_id, source_id) do update set source_id = excluded.source_id
    returning id`.execute(store.db);
  const id = rows[0]?.id;
  if (id === undefined) throw unprocessable(`a workspace may have at most ${triggersMax} run triggers`);
  return { status: 201, data: triggerOf(await readTrigger(store, id)) };
}

async function readTrigger({ db }: Db, id: string): Promise<TriggerRow> {
  const { rows } = await rowsOf(triggerColumns)`select ${columns} from ${source} where t.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Workspaces in which a run is queued after an apply in this workspace. */
export async function triggeredBy(db: WorkspaceParts['store']['db'], workspaceId: string): Promise<readonly string[]> {
  const { rows } = await rowsOf({ workspace_id: text })`
    select workspace_id from ws_run_triggers where source_id = ${workspaceId} order by workspace_id limit 1000`.execute(
    db,
  );
  return rows.map(({ workspace_id }) => workspace_id);
}
