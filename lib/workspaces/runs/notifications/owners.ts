import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { findProject } from '../../access/project.ts';
import { findWorkspace, mustHave } from '../../access/workspace.ts';
import { findTeam, teamRights } from '../../people/teams/team.ts';

/** What a notification configuration is of, and so whose runs it tells of. */
export interface OwnerKind {
  /** Of the store; the parameter of a path has the same name. */
  readonly column: 'workspace_id' | 'project_id' | 'team_id';
  readonly type: 'workspaces' | 'projects' | 'teams';
  readonly noun: string;
  /** @throws ApiError 404: it is not there, or the caller may not change its settings */
  mustManage(store: Pick<Store, 'db'>, caller: ApiCaller, id: string): Promise<void>;
}

export const ownerKinds: readonly OwnerKind[] = [
  {
    ...{ column: 'workspace_id', type: 'workspaces', noun: 'a workspace' },
    async mustManage(store, caller, id) {
      mustHave((await findWorkspace(store, caller, { workspace_id: id })).levels.admin);
    },
  },
  {
    ...{ column: 'project_id', type: 'projects', noun: 'a project' },
    async mustManage(store, caller, id) {
      mustHave((await findProject(store, caller, id)).levels.updates);
    },
  },
  {
    ...{ column: 'team_id', type: 'teams', noun: 'a team' },
    async mustManage(store, caller, id) {
      mustHave(teamRights(await findTeam(store, caller, id)).manages);
    },
  },
];
