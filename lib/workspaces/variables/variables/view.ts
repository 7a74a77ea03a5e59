import { type Resource, timeText, toOne } from '../../../path/jsonapi/resource.ts';
import type { Store } from '../../../store/store.ts';
import type { VariableSettings } from './fields.ts';

/** A variable as the store has it; of the two owners one is set. */
export interface VariableRow extends VariableSettings {
  readonly id: string;
  readonly workspace_id: string | null;
  readonly variable_set_id: string | null;
  /** Sealed. */
  readonly value: Buffer;
  /** Another one after each change. */
  readonly version: string;
  readonly created_at: Date;
}

export const valueName = (id: string): string => `ws_variables/${id}`;

/** The value of a sensitive variable is never read back. */
export function variableOf({ barrier }: Pick<Store, 'barrier'>, row: VariableRow): Resource {
  const { id, key, sensitive, category, hcl, description } = row;
  return {
    id,
    type: 'vars',
    attributes: {
      ...{ key, value: sensitive ? null : barrier.open(row.value, valueName(id)).toString() },
      ...{ sensitive, category, hcl, description, 'created-at': timeText(row.created_at), 'version-id': row.version },
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
