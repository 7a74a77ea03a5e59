/**
 * How much a caller may do with a workspace, as numbers, so that of several grants the largest counts (reference, workspaces 2
 * "permission sets"). The rows of `ws_grants` hold the same numbers.
 */
export const runLevels = { none: 0, read: 1, plan: 2, apply: 3 } as const;
export const variableLevels = { none: 0, read: 1, write: 2 } as const;
export const stateLevels = { none: 0, 'read-outputs': 1, read: 2, write: 3 } as const;

/** What of one workspace may be done. */
export interface Levels {
  readonly runs: number;
  readonly variables: number;
  readonly state_versions: number;
  readonly locking: boolean;
  readonly run_tasks: boolean;
  /** Settings, tags, force-unlock. */
  readonly admin: boolean;
  /** What manages nothing: administrators do, and who was granted this alone on a project. */
  readonly removes: boolean;
  /** Between projects. */
  readonly moves: boolean;
}

export const nothing: Levels = {
  ...{ runs: 0, variables: 0, state_versions: 0 },
  ...{ locking: false, run_tasks: false, admin: false, removes: false, moves: false },
};
const read: Levels = {
  ...nothing,
  runs: runLevels.read,
  variables: variableLevels.read,
  state_versions: stateLevels.read,
};
const plan: Levels = { ...read, runs: runLevels.plan };
const write: Levels = {
  ...nothing,
  ...{ runs: runLevels.apply, variables: variableLevels.write, state_versions: stateLevels.write, locking: true },
};
const admin: Levels = { ...write, run_tasks: true, admin: true, removes: true };

/** The levels of the named sets; `custom` has its own. */
export const namedLevels = { read, plan, write, admin } as const;

/** The larger of each. */
export const most = (one: Levels, other: Levels): Levels => ({
  runs: Math.max(one.runs, other.runs),
  variables: Math.max(one.variables, other.variables),
  state_versions: Math.max(one.state_versions, other.state_versions),
  locking: one.locking || other.locking,
  run_tasks: one.run_tasks || other.run_tasks,
  admin: one.admin || other.admin,
  removes: one.removes || other.removes,
  moves: one.moves || other.moves,
});
