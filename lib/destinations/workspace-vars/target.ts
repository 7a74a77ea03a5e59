// Beyond the usual files: variables are of a workspace, by id or by name, or of a variable set, each with its path.
import type { Connection } from './fields.ts';

/** What gets the variables. */
export interface Target {
  /** For people: `workspace ws-1`. */
  readonly text: string;
  /** What the token needs here. */
  readonly rights: string;
  /** Path of the variables below the API's base. By name: the path of the workspace, whose id is part of the former. */
  readonly path: { readonly variables: string } | { readonly workspace: string };
}

/** The connection has passed `validate`, so one of the targets is there. */
export function targetOf(connection: Connection): Target {
  const { workspace_id, organization_name = '', workspace_name = '', variable_set_id } = connection;
  if (variable_set_id !== undefined) return variableSet(variable_set_id);
  if (workspace_id !== undefined) {
    return { text: `workspace ${workspace_id}`, rights: ofWorkspace, path: { variables: variablesOf(workspace_id) } };
  }
  const path = `/organizations/${encodeURIComponent(organization_name)}/workspaces/${encodeURIComponent(workspace_name)}`;
  return { text: `workspace ${organization_name}/${workspace_name}`, rights: ofWorkspace, path: { workspace: path } };
}

const ofWorkspace = 'the right to read and write variables of the workspace';

/** Path of a workspace's variables. */
export const variablesOf = (workspaceId: string): string => `/workspaces/${encodeURIComponent(workspaceId)}/vars`;

const variableSet = (id: string): Target => ({
  text: `variable set ${id}`,
  rights: 'the right to manage variable sets of the organization or the project',
  path: { variables: `/varsets/${encodeURIComponent(id)}/relationships/vars` },
});
