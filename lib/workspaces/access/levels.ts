/** Levels of rights on a workspace are numbers, so that the largest of several grants counts. The rows of `ws_grants` hold the same numbers. */
export const runLevels = { none: 0, read: 1, plan: 2, apply: 3 } as const;
export const variableLevels = { none: 0, read: 1, write: 2 } as const;
export const stateLevels = { none: 0, 'read-outputs': 1, read: 2, write: 3 } as const;

/** The rights of a caller on one workspace. */
export interface Levels {
  readonly runs: number;
  readonly variables: number;
  readonly state_versions: number;
  readonly locking: boolean;
  readonly run_tasks: boolean;
  /** Settings, tags, force-unlock. */
  readonly admin: boolean;
  /** Deleting workspaces that manage no resources. Administrators have this right, and teams with only this right on a project. */
  readonly removes: boolean;
  /** Moving workspaces between projects. */
  readonly moves: boolean;
}

/** No right at all. */
export const noLevels: Levels = {
  runs: 0,
  variables: 0,
  state_versions: 0,
  locking: false,
  run_tasks: false,
  admin: false,
  removes: false,
  moves: false,
};
const read: Levels = {
  ...noLevels,
  runs: runLevels.read,
  variables: variableLevels.read,
  state_versions: stateLevels.read,
};
const plan: Levels = { ...read, runs: runLevels.plan };
const write: Levels = {
  ...noLevels,
  runs: runLevels.apply,
  variables: variableLevels.write,
  state_versions: stateLevels.write,
  locking: true,
};
const admin: Levels = { ...write, run_tasks: true, admin: true, removes: true };

/** The levels of the named permission sets; the set `custom` has its own. */
export const namedLevels = { read, plan, write, admin } as const;

/** The larger level of each right. */
export const maxLevels = (one: Levels, other: Levels): Levels => ({
  runs: Math.max(one.runs, other.runs),
  variables: Math.max(one.variables, other.variables),
  state_versions: Math.max(one.state_versions, other.state_versions),
  locking: one.locking || other.locking,
  run_tasks: one.run_tasks || other.run_tasks,
  admin: one.admin || other.admin,
  removes: one.removes || other.removes,
  moves: one.moves || other.moves,
});

/** The rights of a team in its whole organization, under the names of the API. */
export const organizationFlags = [
  'manage-workspaces',
  'manage-projects',
  'read-workspaces',
  'read-projects',
  'manage-policies',
  'manage-policy-overrides',
  'delegate-policy-overrides',
  'manage-vcs-settings',
  'manage-providers',
  'manage-modules',
  'manage-run-tasks',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
  'manage-agent-pools',
] as const;

export type OrganizationFlag = (typeof organizationFlags)[number];
