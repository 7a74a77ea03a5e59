import { sql } from 'kysely';
import type { NeededBy } from '#path/jsonapi/row.ts';
import { type Levels, runLevels, stateLevels, variableLevels } from '../levels.ts';
import { overridesPolicies, permissionsOf } from '../permissions.ts';
import { findProject } from '../project.ts';
import { managesWorkspaces, organizationAccessById, organizationAccessByName, type Standing } from '../standing.ts';
import { findTeam, teamRights } from '../team.ts';
import { type FoundWorkspace, findWorkspace, type WorkspaceName } from '../workspace.ts';
import { type Db, noun, parameterOf } from './noun.ts';
import { ledTo, organizationBy, projectBy, workspaceBy } from './owners.ts';

const having =
  (isEnough: (levels: Levels) => boolean) =>
  ({ levels }: FoundWorkspace): boolean =>
    isEnough(levels);

/** Whether the caller is the service of a run task that was asked about the run of the path. */
const isAskedAbout = ({ caller, parameters: { run_id, plan_id } }: NeededBy): boolean =>
  caller.kind === 'task' && (run_id === caller.runId || plan_id === caller.runId.replace(/^run-/, 'plan-'));

/** A workspace, by the parameters of the path or by `named`. */
export const workspace = noun(
  (store, { caller, parameters, named }) => {
    const { organization_name: organization, name } = parameters;
    const byPath = () =>
      organization === undefined || name === undefined
        ? { workspace_id: ledTo(workspaceBy, parameters) }
        : { organization, name };
    return findWorkspace(store, caller, (named as WorkspaceName | undefined) ?? byPath());
  },
  {
    read: () => true,
    'read-runs': having(({ runs }) => runs >= runLevels.read),
    plan: having(({ runs }) => runs >= runLevels.plan),
    apply: having(({ runs }) => runs >= runLevels.apply),
    'force-cancel': having(({ runs, admin }) => runs >= runLevels.apply && admin),
    'read-variables': having(({ variables }) => variables >= variableLevels.read),
    'write-variables': having(({ variables }) => variables >= variableLevels.write),
    'read-outputs': having(({ state_versions }) => state_versions >= stateLevels['read-outputs']),
    'read-states': having(({ state_versions }) => state_versions >= stateLevels.read),
    'write-states': having(({ state_versions }) => state_versions >= stateLevels.write),
    'manage-states': having(({ state_versions, admin }) => state_versions >= stateLevels.read && admin),
    /** The plan in JSON, sensitive values included. The service of a run task reads that of its run. */
    'read-plan-json': ({ levels }, asked) => levels.admin || isAskedAbout(asked),
    /** The configuration of a run. */
    'read-configuration': ({ levels }, asked) => levels.runs >= runLevels.read || isAskedAbout(asked),
    'manage-run-tasks': having(({ run_tasks }) => run_tasks),
    'override-policies': overridesPolicies,
    lock: having(({ locking }) => locking),
    admin: having(({ admin }) => admin),
    remove: having(({ removes }) => removes),
    'force-remove': ({ standing, levels }) => permissionsOf(standing, levels)['can-force-delete'],
    /** The right on all workspaces of the organization. */
    'manage-all': ({ standing }) => managesWorkspaces(standing),
  },
  ['force-remove'],
);

/** A project, by the parameters of the path or by the id that `named` answers. */
export const project = noun(
  (store, { caller, parameters, named }) =>
    findProject(store, caller, (named as string | undefined) ?? ledTo(projectBy, parameters)),
  {
    read: () => true,
    update: ({ levels }) => levels.updates,
    remove: ({ levels }) => levels.removes,
    'move-workspaces': ({ levels }) => levels.movesWorkspaces,
    'read-teams': ({ levels }) => levels.teams >= 1,
    'manage-teams': ({ levels }) => levels.teams >= 2,
  },
  ['move-workspaces'],
);

/** The caller's access to an organization, by its name or by the id of something that belongs to it. */
export const organization = noun(
  (store, { caller, parameters }) =>
    parameters['organization_name'] === undefined
      ? organizationAccessById(store, caller, ledTo(organizationBy, parameters))
      : organizationAccessByName(store, caller, parameters['organization_name']),
  {
    member: () => true,
    /** What the command line of the engine asks before it reads a state. */
    entitlements: () => true,
    owner: ({ isOwner }) => isOwner,
    'manage-workspaces-and-projects': managesWorkspaces,
    'create-workspaces': async (standing, _asked, store) =>
      managesWorkspaces(standing) || (await createsSomewhere(store, standing)),
    'manage-projects': ({ may }) => may('manage-projects'),
    'manage-teams': ({ may }) => may('manage-teams'),
    'manage-membership': ({ may }) => may('manage-membership'),
    'manage-vcs-settings': ({ may }) => may('manage-vcs-settings'),
    'manage-agent-pools': ({ may }) => may('manage-agent-pools'),
    'manage-run-tasks': ({ may }) => may('manage-run-tasks'),
    'manage-policies': ({ may }) => may('manage-policies'),
  },
);

async function createsSomewhere({ db }: Db, { teamIds }: Standing): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ws_grants where team_id = any(${teamIds}::text[]) and creates limit 1`.execute(db);
  return rows.length > 0;
}

/** A team by the path's `team_id`. */
export const team = noun(
  (store, { caller, parameters }) => findTeam(store, caller, parameterOf(parameters, 'team_id')),
  {
    read: () => true,
    manage: (found) => teamRights(found).manages,
    'manage-members': (found) => teamRights(found).managesMembers,
    'manage-tokens': (found) => teamRights(found).managesTokens,
  },
);
