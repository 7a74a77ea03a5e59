import type { z } from 'zod';
import type { Json } from '#core/json/json.ts';
import type { Needs } from '../../access/needs/needs.ts';
import type { FoundProject } from '../../access/project.ts';
import type { Standing } from '../../access/standing.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { GrantLevels } from './grant.ts';
import { projectAttributes, projectFields, projectLevels } from './project-levels.ts';
import { workspaceAttributes, workspaceFields, workspaceLevels } from './workspace-levels.ts';

/** A document about a grant. */
export interface Body {
  readonly body: Json | undefined;
}

/** The workspace or project of a grant, and the rights of the caller regarding its grants. */
export interface Target {
  readonly id: string;
  readonly standing: Standing;
  /** Whether the caller may change grants. */
  readonly manages: boolean;
}

/** The kinds of targets of grants: workspaces and projects. */
export interface Kind {
  readonly type: 'team-workspaces' | 'team-projects';
  readonly idPrefix: string;
  readonly column: 'workspace_id' | 'project_id';
  readonly relation: 'workspace' | 'project';
  readonly relatedType: 'workspaces' | 'projects';
  /** The rights that callers need to see grants, and to change them. */
  readonly reads: Needs;
  readonly changes: Needs;
  /** Attributes of a grant in a document. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** The value for the row's `named`, from the id in a document or a query. */
  named(id: string): unknown;
  targetOf(found: unknown): Target;
  /** The levels after a document. @throws ApiError 422 */
  levels(body: Body, old: GrantLevels | undefined): GrantLevels;
  attributes(grant: GrantLevels): Readonly<Record<string, unknown>>;
}

export const onWorkspaces: Kind = {
  type: 'team-workspaces',
  idPrefix: 'tws',
  column: 'workspace_id',
  relation: 'workspace',
  relatedType: 'workspaces',
  reads: { workspace: 'read' },
  changes: { workspace: 'admin' },
  fields: workspaceFields,
  named: (id) => ({ workspace_id: id }),
  targetOf(found) {
    const { workspace, standing, levels } = found as FoundWorkspace;
    return { id: workspace.id, standing, manages: levels.admin };
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
  reads: { project: 'read-teams' },
  changes: { project: 'manage-teams' },
  fields: projectFields,
  named: (id) => id,
  targetOf(found) {
    const { project, standing, levels } = found as FoundProject;
    return { id: project.id, standing, manages: levels.teams >= 2 };
  },
  levels: projectLevels,
  attributes: projectAttributes,
};
