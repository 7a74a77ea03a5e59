import { type Resource, toOne } from '../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../path/jsonapi/row.ts';
import { permissionsOf } from '../access/permissions.ts';
import { levelsOf, type Standing } from '../access/standing.ts';
import { type FoundWorkspace, type GrantedRow, grantedIn } from '../access/workspace.ts';
import type { WorkspaceParts } from '../contract.ts';

type Parts = Pick<WorkspaceParts, 'store'>;

export interface WorkspaceDocuments {
  readonly data: readonly Resource[];
}

/** The document of one workspace, the same in every answer. */
export const workspaceDocument = async (_parts: Parts, found: FoundWorkspace, _call?: ApiCall): Promise<Resource> =>
  viewOf(found);

/** Documents of many workspaces of one organization, in a number of statements that does not depend on how many there are. */
export const workspaceDocuments = async (
  _parts: Parts,
  found: readonly FoundWorkspace[],
  _call: Pick<ApiCall, 'query'>,
): Promise<WorkspaceDocuments> => ({ data: found.map(viewOf) });

/** Rows that a statement answered with `grantColumns` beside, with what the caller may do. */
export const foundIn = (standing: Standing, rows: readonly GrantedRow[]): readonly FoundWorkspace[] =>
  rows.map((workspace) => ({ workspace, standing, levels: levelsOf(standing, grantedIn(workspace)) }));

const viewOf = ({ workspace, standing, levels }: FoundWorkspace): Resource => ({
  id: workspace.id,
  type: 'workspaces',
  attributes: {
    name: workspace.name,
    locked: workspace.lock_kind !== null,
    'locked-reason': workspace.lock_reason,
    permissions: permissionsOf(standing, levels),
  },
  relationships: {
    'locked-by': toOne(workspace.lock_kind ?? 'users', workspace.lock_holder),
    'ssh-key': toOne('ssh-keys', workspace.ssh_key_id),
  },
});
