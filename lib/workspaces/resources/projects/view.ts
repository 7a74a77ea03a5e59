import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import type { FoundProject } from '../../access/project.ts';

/** Data in the document of a project beside its row. */
export type ProjectCounts = RowOf<typeof projectCountColumns>;

export const projectCountColumns = { workspace_count: int, team_count: int };

/** The document of a project as the caller sees it. */
export function projectResource({ project, standing, levels }: FoundProject, counts: ProjectCounts): Resource {
  const { id, name, description, default_execution_mode: mode, ...own } = project;
  const { organization } = standing;
  const overwrites = mode !== null;
  const self = `/api/v2/projects/${id}`;
  return {
    id,
    type: 'projects',
    attributes: {
      name,
      description,
      'created-at': timeText(own.created_at),
      'is-unified': false,
      'auto-destroy-activity-duration': own.auto_destroy_activity_duration,
      'default-execution-mode': mode ?? organization.default_execution_mode,
      'setting-overwrites': { 'default-execution-mode': overwrites, 'default-agent-pool': overwrites },
      'workspace-count': counts.workspace_count,
      'team-count': counts.team_count,
      'stack-count': 0,
      permissions: permissionsOf({ levels, standing }),
    },
    relationships: {
      organization: {
        ...toOne('organizations', organization.name),
        links: { related: `/api/v2/organizations/${organization.name}` },
      },
      'default-agent-pool': toOne(
        'agent-pools',
        overwrites ? own.default_agent_pool_id : organization.default_agent_pool_id,
      ),
      'tag-bindings': { links: { related: `${self}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
    },
    links: { self },
  };
}

const permissionsOf = ({ levels, standing }: Pick<FoundProject, 'levels' | 'standing'>) => ({
  'can-read': true,
  'can-update': levels.updates,
  'can-destroy': levels.removes,
  'can-create-workspace': levels.createsWorkspaces,
  'can-move-workspace': levels.movesWorkspaces,
  'can-move-stack': false,
  'can-deploy-no-code-modules': false,
  'can-read-teams': levels.teams >= 1,
  'can-manage-teams': levels.teams >= 2,
  'can-manage-tags': levels.updates,
  'can-manage-varsets': levels.updates || standing.may('manage-workspaces'),
  'can-manage-ephemeral-workspace-for-projects': levels.updates,
});
