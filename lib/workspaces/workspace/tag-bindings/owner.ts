import { sql, type Transaction } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { findProject } from '../../access/project.ts';
import { findWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { BindingOwner } from './write.ts';

/** What has bindings, as a request names it. */
export interface OwnerKind {
  readonly path: string;
  /** For the summaries of its rows. */
  readonly noun: string;
  /** @throws ApiError 404: it is not there, or the caller may not read it */
  find(parts: WorkspaceParts, call: ApiCall): Promise<{ readonly owner: BindingOwner; readonly mayChange: boolean }>;
  /** Keeps others from changing it until the transaction ends. @throws ApiError 404 when it has gone meanwhile */
  hold(tx: Transaction<Database>, owner: BindingOwner): Promise<void>;
}

const ofWorkspaces: OwnerKind = {
  path: '/api/v2/workspaces/:workspace_id',
  noun: 'a workspace',
  async find({ store }, { caller, parameters }) {
    const by = { workspace_id: parameters['workspace_id'] ?? '' };
    const { workspace, levels } = await findWorkspace(store, caller, by);
    return { owner: { workspaceId: workspace.id }, mayChange: levels.admin };
  },
  async hold(tx, owner) {
    if ('workspaceId' in owner) await holdWorkspace(tx, owner.workspaceId);
  },
};

const ofProjects: OwnerKind = {
  path: '/api/v2/projects/:project_id',
  noun: 'a project',
  async find({ store }, { caller, parameters }) {
    const { project, levels } = await findProject(store, caller, parameters['project_id'] ?? '');
    return { owner: { projectId: project.id }, mayChange: levels.updates };
  },
  async hold(tx, owner) {
    if (!('projectId' in owner)) return;
    const { rows } = await sql`select id from ws_projects where id = ${owner.projectId} for no key update`.execute(tx);
    if (rows.length === 0) throw notFound();
  },
};

export const ownerKinds: readonly OwnerKind[] = [ofProjects, ofWorkspaces];
