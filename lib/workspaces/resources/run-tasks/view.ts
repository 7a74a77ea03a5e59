import { sql } from 'kysely';
import { type Resource, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, oneOf, text } from '#store/sql/kinds.ts';
import { wsOrganizationTasksTable, wsWorkspaceTasksTable } from '#store/tables/runs.ts';
import { taskStages } from './fields.ts';

/** A run task as shown. */
export type TaskRow = RowOf<typeof taskColumns>;

export const taskColumns = { ...wsOrganizationTasksTable, organization_name: text, workspace_task_ids: arrayOf(text) };

/** Workspaces shown in the document of one task. */
const workspacesShown = 100;

/** Columns of `TaskRow` for the task `t` of organization `o`. */
export const shownTask = sql`t.*, o.name as organization_name, array(
  select w.id from ws_workspace_tasks w where w.task_id = t.id order by w.id limit ${workspacesShown}) as workspace_task_ids`;

export const keyName = (id: string): string => `ws_organization_tasks/${id}`;

/** The document of a task, without its key. */
export const taskOf = ({ id, ...row }: TaskRow): Resource => ({
  id,
  type: 'tasks',
  attributes: {
    name: row.name,
    url: row.url,
    description: row.description,
    category: 'task',
    'hmac-key': null,
    enabled: row.enabled,
    'global-configuration': null,
  },
  relationships: {
    organization: toOne('organizations', row.organization_name),
    'workspace-tasks': toMany('workspace-tasks', row.workspace_task_ids),
    'agent-pool': toOne('agent-pools', null),
  },
  links: { self: `/api/v2/tasks/${id}` },
});

export type WorkspaceTaskRow = RowOf<typeof workspaceTaskColumns>;

export const workspaceTaskColumns = { ...wsWorkspaceTasksTable, stages: arrayOf(oneOf(...taskStages)) };

export const workspaceTaskOf = (row: WorkspaceTaskRow): Resource => ({
  id: row.id,
  type: 'workspace-tasks',
  attributes: {
    'enforcement-level': row.enforcement_level,
    stage: row.stages[0] ?? null,
    stages: row.stages,
  },
  relationships: { task: toOne('tasks', row.task_id), workspace: toOne('workspaces', row.workspace_id) },
  links: { self: `/api/v2/workspaces/${row.workspace_id}/tasks/${row.id}` },
});
