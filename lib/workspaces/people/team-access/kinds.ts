import type { ApiCall, ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { findProject } from '../../access/project.ts';
import type { Standing } from '../../access/standing.ts';
import { findWorkspace } from '../../access/workspace.ts';
import type { GrantLevels } from './grant.ts';
import { projectAttributes, projectLevels } from './project-levels.ts';
import { workspaceAttributes, workspaceLevels } from './workspace-levels.ts';

/** What a team was granted something on, as the caller may deal with it. */
export interface Target {
  readonly id: string;
  readonly standing: Standing;
  /** The caller decides which teams get to it. */
  readonly manages: boolean;
  /** The caller may know which teams get to it, of those that it may know of. */
  readonly reads: boolean;
}

/** The two things that teams are granted something on. */
export interface Kind {
  readonly type: 'team-workspaces' | 'team-projects';
  readonly idPrefix: string;
  readonly column: 'workspace_id' | 'project_id';
  readonly relation: 'workspace' | 'project';
  readonly relatedType: 'workspaces' | 'projects';
  /** @throws ApiError 404 */
  find(store: Pick<Store, 'db'>, caller: ApiCaller, id: string): Promise<Target>;
  /** What a document grants. @throws ApiError 422 */
  levels(call: ApiCall, old: GrantLevels | undefined): GrantLevels;
  attributes(grant: GrantLevels): Readonly<Record<string, unknown>>;
}

export const onWorkspaces: Kind = {
  type: 'team-workspaces',
  idPrefix: 'tws',
  column: 'workspace_id',
  relation: 'workspace',
  relatedType: 'workspaces',
  async find(store, caller, id) {
    const { workspace, standing, levels } = await findWorkspace(store, caller, { workspace_id: id });
    return { id: workspace.id, standing, manages: levels.admin, reads: true };
  },
  levels: workspaceLevels,
  attributes: workspaceAttributes,
};

export const onProjects: Kind = {
  type: 'team-projects',
  idPrefix: 'tprj',
  column: 'project_id',
  relation: 'project',
  relatedType: 'projects',
  async find(store, caller, id) {
    const { project, standing, levels } = await findProject(store, caller, id);
    return { id: project.id, standing, manages: levels.teams >= 2, reads: levels.teams >= 1 };
  },
  levels: projectLevels,
  attributes: projectAttributes,
};
