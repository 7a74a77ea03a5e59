import { type Resource, timeText, toMany, toOne } from '../../../path/jsonapi/resource.ts';

/** A variable set as a statement answers it, with what it is connected to. */
export interface SetRow {
  readonly id: string;
  readonly organization_name: string;
  /** That owns it; null: the organization. */
  readonly project_id: string | null;
  readonly name: string;
  readonly description: string;
  readonly global: boolean;
  readonly priority: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly workspace_ids: readonly string[];
  readonly project_ids: readonly string[];
  readonly variable_ids: readonly string[];
}

export const setOf = (row: SetRow): Resource => ({
  id: row.id,
  type: 'varsets',
  attributes: {
    ...{ name: row.name, description: row.description, global: row.global, priority: row.priority },
    ...{ 'created-at': timeText(row.created_at), 'updated-at': timeText(row.updated_at) },
    ...{ 'var-count': row.variable_ids.length, 'workspace-count': row.workspace_ids.length },
    'project-count': row.project_ids.length,
  },
  relationships: {
    organization: toOne('organizations', row.organization_name),
    vars: toMany('vars', row.variable_ids),
    workspaces: toMany('workspaces', row.workspace_ids),
    projects: toMany('projects', row.project_ids),
    stacks: toMany('stacks', []),
    parent: row.project_id === null ? toOne('organizations', row.organization_name) : toOne('projects', row.project_id),
  },
  links: { self: `/api/v2/varsets/${row.id}` },
});
