import { sql } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import { document } from '#path/jsonapi/input.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { taskFields, workspaceTaskFields } from './fields.ts';
import { addTask, changeTask, listWorkspaceTasks, readWorkspaceTask, removeTask } from './of-workspaces.ts';
import { createTask, listTasks, readTask, updateTask } from './tasks.ts';
import { taskOf, workspaceTaskOf } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/tasks';
const one = '/api/v2/tasks/:task_id';
const ofWorkspace = '/api/v2/workspaces/:workspace_id/tasks';
const inWorkspace = `${ofWorkspace}/:workspace_task_id` as const;

const taskBody = document({ type: 'tasks', attributes: taskFields, relationships: { 'agent-pool': 'agent-pools' } });
const bodyInWorkspace = { type: 'workspace-tasks', attributes: workspaceTaskFields } as const;

/** Run tasks: services that runs ask between their parts, and whose answer may end a run. */
export const runTaskRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the run tasks of an organization',
    needs: { organization: 'member' },
    query: { page: paged() },
    replies: { 200: ['tasks'] },
    run: ({ found, query }) => listTasks(parts.store, found, query.page),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Create a run task, after a test request to its address',
    needs: { organization: 'manage-run-tasks' },
    body: taskBody,
    replies: { 201: 'tasks' },
    async run({ found, body, origin }) {
      mustBeDirect(body.related['agent-pool']);
      const id = await createTask(parts, found, { ...body, origin });
      return { status: 201, data: taskOf(await readTask(parts.store, id)) };
    },
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a run task',
    needs: { organization: 'member' },
    replies: { 200: 'tasks' },
    run: async ({ parameters }) => ({ data: taskOf(await readTask(parts.store, parameters.task_id)) }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a run task',
    needs: { organization: 'manage-run-tasks' },
    body: taskBody,
    replies: { 200: 'tasks' },
    async run({ parameters, body, origin }) {
      mustBeDirect(body.related['agent-pool']);
      await updateTask(parts, await readTask(parts.store, parameters.task_id), { ...body, origin });
      return { data: taskOf(await readTask(parts.store, parameters.task_id)) };
    },
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a run task',
    needs: { organization: 'manage-run-tasks' },
    replies: { 204: null },
    async run({ parameters }) {
      await sql`delete from ws_organization_tasks where id = ${parameters.task_id}`.execute(parts.store.db);
      return undefined;
    },
  }),
  ...rowsOfWorkspaces(parts),
];

/** @throws ApiError 422 */
function mustBeDirect(pool: object | null | undefined): void {
  if (pool !== undefined && pool !== null) throw unprocessable('Run tasks cannot be sent through an agent pool.');
}

const rowsOfWorkspaces = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofWorkspace,
    summary: 'List the run tasks of a workspace',
    needs: { workspace: 'read' },
    query: { page: paged() },
    replies: { 200: ['workspace-tasks'] },
    run: ({ found, query }) => listWorkspaceTasks(store, found.workspace.id, query.page),
  }),
  operation({
    method: 'POST',
    path: ofWorkspace,
    summary: 'Add a run task to a workspace',
    needs: { workspace: 'manage-run-tasks' },
    body: document({ ...bodyInWorkspace, relationships: { task: 'tasks' } }),
    replies: { 201: 'workspace-tasks' },
    run: ({ found, body }) => addTask(store, found, body.attributes, body.related.task),
  }),
  operation({
    method: 'GET',
    path: inWorkspace,
    summary: 'Read a run task of a workspace',
    needs: { workspace: 'read' },
    replies: { 200: 'workspace-tasks' },
    run: async ({ parameters }) => ({ data: workspaceTaskOf(await readWorkspaceTask(store, parameters)) }),
  }),
  operation({
    method: 'PATCH',
    path: inWorkspace,
    summary: 'Update a run task of a workspace',
    needs: { workspace: 'manage-run-tasks' },
    body: document(bodyInWorkspace),
    replies: { 200: 'workspace-tasks' },
    run: ({ parameters, body }) => changeTask(store, parameters, body.attributes),
  }),
  operation({
    method: 'DELETE',
    path: inWorkspace,
    summary: 'Remove a run task from a workspace',
    needs: { workspace: 'manage-run-tasks' },
    replies: { 204: null },
    run: ({ parameters }) => removeTask(store, parameters),
  }),
];
