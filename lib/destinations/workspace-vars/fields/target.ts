// Beyond the usual files: variables belong to a workspace, named by id or by name, or to a variable set, each with its path.
import type { Connection } from './fields.ts';

/** The workspace or variable set that gets the variables. */
export interface Target {
  /** For messages: `workspace ws-1`. */
  readonly text: string;
  /** The permission that the token needs. */
  readonly rights: string;
  /** The permissions behind it, as the host names them. */
  readonly rightNames: { readonly read: string; readonly write: string };
  /** Path of the variables below the API's base, or path of a workspace named by its name, which must be read first for its id. */
  readonly path: { readonly variables: string } | { readonly workspace: string };
}

/** The connection has passed `validate`, so one of the targets is set. */
export function targetOf(connection: Connection): Target {
  const { workspace_id, organization_name = '', workspace_name = '', variable_set_id } = connection;
  if (variable_set_id !== undefined) return variableSet(variable_set_id);
  if (workspace_id !== undefined) {
    return { text: `workspace ${workspace_id}`, ...ofWorkspace, path: { variables: variablesOf(workspace_id) } };
  }
  const path = `/organizations/${encodeURIComponent(organization_name)}/workspaces/${encodeURIComponent(workspace_name)}`;
  return { text: `workspace ${organization_name}/${workspace_name}`, ...ofWorkspace, path: { workspace: path } };
}

const ofWorkspace = {
  rights: 'the right to read and write variables of the workspace',
  rightNames: { read: 'Variables: read', write: 'Variables: read and write' },
};

/** Path of a workspace's variables. */
export const variablesOf = (workspaceId: string): string => `/workspaces/${encodeURIComponent(workspaceId)}/vars`;

const variableSet = (id: string): Target => ({
  text: `variable set ${id}`,
  rights: 'the right to manage variable sets of the organization or the project',
  rightNames: {
    read: 'read the variable sets of the organization or the project',
    write: 'Manage all workspaces, Manage all projects, or Write of the project of the set',
  },
  path: { variables: `/varsets/${encodeURIComponent(id)}/relationships/vars` },
});
