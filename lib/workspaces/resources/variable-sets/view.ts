import { sql } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { wsVariableSetsTable, wsVariablesTable } from '#store/tables/variables.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { variableOf } from '../variables/view.ts';

/** A variable set as read, with its links. */
export type SetRow = RowOf<typeof setRowColumns>;

export const setRowColumns = {
  ...pick(wsVariableSetsTable, 'id', 'name', 'description', 'global', 'priority', 'created_at', 'updated_at'),
  organization_name: text,
  /** The owner; null when the organization owns the set. */
  project_id: nullable(text),
  workspace_ids: arrayOf(text),
  project_ids: arrayOf(text),
  variable_ids: arrayOf(text),
};

export const setOf = (row: SetRow): Resource => ({
  id: row.id,
  type: 'varsets',
  attributes: {
    name: row.name,
    description: row.description,
    global: row.global,
    priority: row.priority,
    'created-at': timeText(row.created_at),
    'updated-at': timeText(row.updated_at),
    'var-count': row.variable_ids.length,
    'workspace-count': row.workspace_ids.length,
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

/** The names that `include` may contain. The service has no stacks, so none are included. */
export const includable = ['vars', 'workspaces', 'projects', 'stacks', 'parent', 'organization'] as const;
export type Included = ReadonlySet<(typeof includable)[number]>;

/** The requested related resources of variable sets, in one statement per kind. */
export async function includedIn(
  { store }: WorkspaceParts,
  wanted: Included,
  sets: readonly SetRow[],
): Promise<{ readonly included?: readonly Resource[] }> {
  if (wanted.size === 0) return {};
  const included: Resource[] = [];
  if (wanted.has('vars')) {
    const ids = sets.map(({ id }) => id);
    const { rows } = await rowsOf(wsVariablesTable)`
      select * from ws_variables where variable_set_id = any(${ids}::text[]) order by position`.execute(store.db);
    included.push(...rows.map((row) => variableOf(store, row)));
  }
  for (const type of ['workspaces', 'projects'] as const) {
    if (!wanted.has(type)) continue;
    const ids = sets.flatMap((set) => (type === 'workspaces' ? set.workspace_ids : set.project_ids));
    const { rows } = await rowsOf({ id: text, name: text })`
      select id, name from ${sql.table(`ws_${type}`)} where id = any(${ids}::text[]) order by id`.execute(store.db);
    included.push(...rows.map(({ id, name }) => ({ id, type, attributes: { name } })));
  }
  return { included };
}
