import { sql } from 'kysely';
import { dataOf, relatedOne } from '../../../path/jsonapi/body.ts';
import { badRequest, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { runLevels } from '../../access/levels.ts';
import { findWorkspace, mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';

interface TriggerRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly source_id: string;
  readonly source_name: string;
  readonly created_at: Date;
}

const ofWorkspace = '/api/v2/workspaces/:workspace_id/run-triggers';
const one = '/api/v2/run-triggers/:run_trigger_id';
/** Sources of one workspace. */
const triggersMax = 20;

/** Run triggers: an apply in one workspace, the source, queues a run in another. */
export const runTriggerRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  { method: 'GET', path: ofWorkspace, summary: 'Run triggers of a workspace', run: (call) => list(parts, call) },
  { method: 'POST', path: ofWorkspace, summary: 'Makes a run trigger', run: (call) => create(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'A run trigger',
    async run(call) {
      const row = await read(parts, call);
      await findWorkspace(parts.store, call.caller, { workspace_id: row.workspace_id });
      return { data: triggerOf(row) };
    },
  },
  {
    method: 'DELETE',
    path: one,
    summary: 'Deletes a run trigger',
    async run(call) {
      const row = await read(parts, call);
      const { levels } = await findWorkspace(parts.store, call.caller, { workspace_id: row.workspace_id });
      mustHave(levels.admin);
      await sql`delete from ws_run_triggers where id = ${row.id}`.execute(parts.store.db);
      return undefined;
    },
  },
];

const columns = sql`t.id, t.workspace_id, w.name as workspace_name, t.source_id, s.name as source_name, t.created_at`;
const source = sql`ws_run_triggers t join ws_workspaces w on w.id = t.workspace_id join ws_workspaces s on s.id = t.source_id`;

const triggerOf = (row: TriggerRow): Resource => ({
  id: row.id,
  type: 'run-triggers',
  attributes: {
    ...{ 'workspace-name': row.workspace_name, 'sourceable-name': row.source_name },
    'created-at': timeText(row.created_at),
  },
  relationships: { workspace: toOne('workspaces', row.workspace_id), sourceable: toOne('workspaces', row.source_id) },
  links: { self: `/api/v2/run-triggers/${row.id}` },
});

async function list({ store }: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const direction = call.query.get('filter[run-trigger][type]');
  if (direction !== 'inbound' && direction !== 'outbound')
    throw badRequest('filter[run-trigger][type] has to be inbound or outbound');
  const { workspace } = await findWorkspace(store, call.caller, {
    workspace_id: call.parameters['workspace_id'] ?? '',
  });
  const page = pageOf(call.query);
  const condition =
    direction === 'inbound' ? sql`t.workspace_id = ${workspace.id}` : sql`t.source_id = ${workspace.id}`;
  const { rows } = await sql<TriggerRow>`
    select ${columns} from ${source} where ${condition} order by t.created_at, t.id
     limit ${page.size} offset ${page.offset}`.execute(store.db);
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from ws_run_triggers t where ${condition}`.execute(store.db);
  return { data: rows.map(triggerOf), page: told(page, counted[0]?.total ?? 0) };
}

async function create({ store }: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace, levels } = await findWorkspace(store, call.caller, by);
  mustHave(levels.admin);
  const sent = relatedOne(dataOf(call), 'sourceable');
  if (sent === undefined || sent === null) throw unprocessable('a sourceable workspace is required');
  const from = await findWorkspace(store, call.caller, { workspace_id: sent.id }).catch(() => undefined);
  if (
    from === undefined ||
    from.levels.runs < runLevels.read ||
    from.workspace.organization_id !== workspace.organization_id
  )
    throw unprocessable('Sourceable not found, or you are not authorized to use it.');
  if (from.workspace.id === workspace.id) throw unprocessable('a workspace cannot trigger runs of itself');
  const { rows } = await sql<{ id: string }>`
    insert into ws_run_triggers (id, workspace_id, source_id)
    select ${newId('rt')}, ${workspace.id}, ${from.workspace.id}
     where (select count(*) from ws_run_triggers where workspace_id = ${workspace.id}) < ${triggersMax}
    on conflict (workspace_id, source_id) do update set source_id = excluded.source_id
    returning id`.execute(store.db);
  const id = rows[0]?.id;
  if (id === undefined) throw unprocessable(`a workspace may have at most ${triggersMax} run triggers`);
  return { status: 201, data: triggerOf(await readTrigger(store.db, id)) };
}

const read = ({ store }: WorkspaceParts, { parameters }: ApiCall): Promise<TriggerRow> =>
  readTrigger(store.db, parameters['run_trigger_id'] ?? '');

async function readTrigger(db: WorkspaceParts['store']['db'], id: string): Promise<TriggerRow> {
  const { rows } = await sql<TriggerRow>`select ${columns} from ${source} where t.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Workspaces in which a run begins when one of this workspace has been applied. */
export async function triggeredBy(db: WorkspaceParts['store']['db'], workspaceId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ workspace_id: string }>`
    select workspace_id from ws_run_triggers where source_id = ${workspaceId} order by workspace_id limit 1000`.execute(
    db,
  );
  return rows.map(({ workspace_id }) => workspace_id);
}
