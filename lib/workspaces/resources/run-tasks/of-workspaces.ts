import { sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import type { TaskStage, workspaceTaskFields } from './fields.ts';
import { type WorkspaceTaskRow, workspaceTaskColumns, workspaceTaskOf } from './view.ts';

type Db = Pick<Store, 'db'>;
type Sent = Attributes<typeof workspaceTaskFields>;

/** Run tasks of one workspace. */
const tasksMax = 20;
const taken = { ws_workspace_tasks_workspace_id_task_id_key: 'task' };

export async function listWorkspaceTasks({ db }: Db, workspaceId: string, page: Page): Promise<DocumentReply> {
  const { rows } = await rowsOf(workspaceTaskColumns)`
    select * from ws_workspace_tasks where workspace_id = ${workspaceId} order by created_at, id limit ${tasksMax}`.execute(
    db,
  );
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map(workspaceTaskOf), page: pageInfo(page, rows.length) };
}

/** The task of a workspace. */
export interface Named {
  readonly workspace_id: string;
  readonly workspace_task_id: string;
}

/** @throws ApiError 404 */
export async function readWorkspaceTask({ db }: Db, named: Named): Promise<WorkspaceTaskRow> {
  const { rows } = await rowsOf(workspaceTaskColumns)`
    select * from ws_workspace_tasks
     where id = ${named.workspace_task_id} and workspace_id = ${named.workspace_id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Adds a task of the organization to a workspace. @throws ApiError 422 */
export async function addTask(
  store: Pick<Store, 'transaction'>,
  { workspace }: FoundWorkspace,
  sent: Sent,
  task: { readonly id: string } | null | undefined,
): Promise<DocumentReply> {
  const level = sent['enforcement-level'];
  if (level === undefined) throw invalidAttribute('enforcement-level', "Enforcement level can't be blank");
  const { id, organization_id: organizationId } = workspace;
  const made = rowsOf(workspaceTaskColumns)`
    insert into ws_workspace_tasks (id, workspace_id, task_id, stages, enforcement_level)
    select ${newId('wstask')}, ${id}, t.id, ${[...stagesOf(sent, ['post_plan'])]}, ${level} from ws_organization_tasks t
     where t.id = ${task?.id ?? ''} and t.organization_id = ${organizationId}
       and (select count(*) from ws_workspace_tasks where workspace_id = ${id}) < ${tasksMax} returning *`;
  const { rows } = await withRefusals(taken, () =>
    store.transaction(async (tx) => {
      // Others that count the tasks wait until this one is stored.
      await sql`select 1 from ws_workspaces where id = ${id} for no key update`.execute(tx);
      return made.execute(tx);
    }),
  );
  const [row] = rows;
  if (row === undefined)
    throw unprocessable(`Task not found, or the workspace has ${tasksMax} tasks already, the most it may have.`);
  return { status: 201, data: workspaceTaskOf(row) };
}

/** Runs whose stage has begun keep the tasks and levels that it began with. @throws ApiError 404, 422 */
export async function changeTask({ db }: Db, named: Named, sent: Sent): Promise<DocumentReply> {
  const before = await readWorkspaceTask({ db }, named);
  const { rows } = await rowsOf(workspaceTaskColumns)`
    update ws_workspace_tasks set stages = ${[...stagesOf(sent, before.stages)]},
           enforcement_level = ${sent['enforcement-level'] ?? before.enforcement_level}
     where id = ${before.id} returning *`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: workspaceTaskOf(row) };
}

const stagesOf = ({ stage, stages }: Sent, otherwise: readonly TaskStage[]): readonly TaskStage[] => [
  ...new Set(stages ?? (stage === undefined ? otherwise : [stage])),
];

/** @throws ApiError 404 */
export async function removeTask({ db }: Db, { workspace_id, workspace_task_id }: Named): Promise<undefined> {
  const { numAffectedRows } = await sql`
    delete from ws_workspace_tasks where id = ${workspace_task_id} and workspace_id = ${workspace_id}`.execute(db);
  if (numAffectedRows === 0n) throw notFound();
}
