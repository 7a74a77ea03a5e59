import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import type { Store } from '#store/store.ts';
import type { wsVariablesTable } from '#store/tables/variables.ts';

/** A variable as stored. Exactly one of the two owners is set. The version is different after each change. */
export type VariableRow = RowOf<typeof wsVariablesTable>;

export const valueName = (id: string): string => `ws_variables/${id}`;

/** The document of a variable. The value of a sensitive variable is never returned. */
export function variableOf({ barrier }: Pick<Store, 'barrier'>, row: VariableRow): Resource {
  const { id, key, sensitive, category, hcl, description } = row;
  return {
    id,
    type: 'vars',
    attributes: {
      key,
      value: sensitive ? null : barrier.open(row.value, valueName(id)).toString(),
      sensitive,
      category,
      hcl,
      description,
      'created-at': timeText(row.created_at),
      'version-id': row.version,
    },
    relationships: ownerOf(row),
    links: { self: selfOf(row) },
  };
}

function ownerOf({ workspace_id, variable_set_id }: VariableRow): NonNullable<Resource['relationships']> {
  if (workspace_id === null) return { varset: toOne('varsets', variable_set_id) };
  const links = { related: `/api/v2/workspaces/${workspace_id}` };
  return { configurable: { ...toOne('workspaces', workspace_id), links } };
}

const selfOf = ({ id, workspace_id, variable_set_id }: VariableRow): string =>
  workspace_id === null
    ? `/api/v2/varsets/${variable_set_id}/relationships/vars/${id}`
    : `/api/v2/workspaces/${workspace_id}/vars/${id}`;
