import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import { findWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';

/** What has a policy: the states of one workspace, or those of all that have none of their own. */
export interface PolicyOwner {
  readonly column: 'workspace_id' | 'organization_id';
  readonly id: string;
  readonly mayChange: boolean;
}

export interface OwnerKind {
  readonly path: string;
  /** For the summaries of its rows. */
  readonly noun: string;
  /** @throws ApiError 404: it is not there, or the caller may not read it */
  find(parts: WorkspaceParts, call: ApiCall): Promise<PolicyOwner>;
}

export const ownerKinds: readonly OwnerKind[] = [
  {
    path: '/api/v2/organizations/:organization_name',
    noun: 'an organization',
    async find({ store }, { caller, parameters }) {
      const { organization, isOwner } = await standingIn(store, caller, parameters['organization_name'] ?? '');
      return { column: 'organization_id', id: organization.id, mayChange: isOwner };
    },
  },
  {
    path: '/api/v2/workspaces/:workspace_id',
    noun: 'a workspace',
    async find({ store }, { caller, parameters }) {
      const by = { workspace_id: parameters['workspace_id'] ?? '' };
      const { workspace, levels } = await findWorkspace(store, caller, by);
      return { column: 'workspace_id', id: workspace.id, mayChange: levels.admin };
    },
  },
];
