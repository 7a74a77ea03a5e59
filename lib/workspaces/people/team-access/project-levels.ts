import { z } from 'zod';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { invalidAttribute } from '../../../path/jsonapi/error.ts';
import { flag, oneOf } from '../../../path/jsonapi/fields.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { namedLevels, nothing, runLevels, stateLevels, variableLevels } from '../../access/levels.ts';
import { type GrantLevels, type GrantSettings, nameOfLevel } from './grant.ts';
import { readOnly } from './workspace-levels.ts';

const fields = {
  access: oneOf(['read', 'write', 'maintain', 'admin', 'custom']),
  'project-access': z
    .object(
      {
        settings: oneOf(['read', 'update', 'delete']).nullish(),
        teams: oneOf(['none', 'read', 'manage']).nullish(),
        'variable-sets': oneOf(['none', 'read', 'write']).nullish(),
      },
      'must be an object',
    )
    .nullable(),
  'workspace-access': z
    .object(
      {
        create: flag().nullish(),
        delete: flag().nullish(),
        move: flag().nullish(),
        locking: flag().nullish(),
        runs: oneOf(['read', 'plan', 'apply']).nullish(),
        variables: oneOf(['none', 'read', 'write']).nullish(),
        'state-versions': oneOf(['none', 'read-outputs', 'read', 'write']).nullish(),
        'sentinel-mocks': oneOf(['none', 'read']).nullish(),
        'run-tasks': flag().nullish(),
        'policy-overrides': flag().nullish(),
      },
      'must be an object',
    )
    .nullable(),
};

const ordinary: GrantSettings = { 'project-settings': 'read', 'project-teams': 'none', 'sentinel-mocks': 'none' };
const everything: GrantSettings = {
  ...{ 'project-settings': 'delete', 'project-teams': 'manage', 'variable-sets': 'write' },
  ...{ 'sentinel-mocks': 'read', delete: true },
};
const none = { creates: false, moves: false, project_admin: false };

/** The named sets (reference, workspaces 2 "permission sets"). */
const sets: Readonly<Record<string, GrantLevels>> = {
  read: { ...namedLevels.read, ...none, access: 'read', settings: { ...ordinary, 'variable-sets': 'read' } },
  write: {
    ...{ ...namedLevels.write, ...none, access: 'write' },
    settings: { ...ordinary, 'variable-sets': 'read', 'sentinel-mocks': 'read' },
  },
  maintain: {
    ...{ ...namedLevels.admin, ...none, creates: true, access: 'maintain' },
    settings: { ...ordinary, 'variable-sets': 'write', 'sentinel-mocks': 'read', delete: true },
  },
  admin: {
    ...{ ...namedLevels.admin, creates: true, moves: true, project_admin: true, access: 'admin', settings: everything },
  },
};

/** What a custom set has where nothing was said of it. */
const customLevels: GrantLevels = {
  ...{ ...nothing, ...none, access: 'custom', runs: runLevels.read },
  settings: { ...ordinary, 'variable-sets': 'none' },
};

/**
 * What a document grants on a project and the workspaces in it, from what was granted before.
 *
 * @throws ApiError 422 without a name of a set, and for levels beside a named one
 */
export function projectLevels(call: ApiCall, old: GrantLevels | undefined): GrantLevels {
  const { access = old?.access, ...sent } = attributesOf(call, 'team-projects', fields);
  if (access === undefined) throw invalidAttribute('access', "Access can't be blank");
  const set = sets[access];
  if (set === undefined) return custom(sent, old ?? customLevels);
  const [extra] = Object.entries(sent).flatMap(([name, value]) => (saysNothing(value) ? [] : [name]));
  if (extra !== undefined) throw readOnly(extra, access);
  return set;
}

/** Clients send an empty object where nothing is set. */
const saysNothing = (levels: object | null | undefined): boolean =>
  Object.values(levels ?? {}).every((level) => level === null || level === undefined);

type Sent = Omit<ReturnType<typeof attributesOf<typeof fields>>, 'access'>;

/** A change to `custom` keeps what the set gave but for administration, which no single level is. */
function custom(sent: Sent, old: GrantLevels): GrantLevels {
  const project = sent['project-access'] ?? {};
  const inside = sent['workspace-access'] ?? {};
  const { runs, variables, 'state-versions': states } = inside;
  return {
    access: 'custom',
    admin: false,
    project_admin: false,
    creates: inside.create ?? old.creates,
    moves: inside.move ?? old.moves,
    runs: runs == null ? old.runs : runLevels[runs],
    variables: variables == null ? old.variables : variableLevels[variables],
    state_versions: states == null ? old.state_versions : stateLevels[states],
    locking: inside.locking ?? old.locking,
    run_tasks: inside['run-tasks'] ?? old.run_tasks,
    settings: {
      'project-settings': project.settings ?? old.settings['project-settings'] ?? 'read',
      'project-teams': project.teams ?? old.settings['project-teams'] ?? 'none',
      'variable-sets': project['variable-sets'] ?? old.settings['variable-sets'] ?? 'none',
      'sentinel-mocks': inside['sentinel-mocks'] ?? old.settings['sentinel-mocks'] ?? 'none',
      'policy-overrides': inside['policy-overrides'] ?? old.settings['policy-overrides'] ?? false,
      delete: inside.delete ?? old.settings.delete ?? false,
    },
  };
}

/** The attributes of such a grant. */
export const projectAttributes = (grant: GrantLevels) => ({
  access: grant.access,
  'project-access': {
    settings: grant.settings['project-settings'] ?? 'read',
    teams: grant.settings['project-teams'] ?? 'none',
    'variable-sets': grant.settings['variable-sets'] ?? 'none',
  },
  'workspace-access': {
    create: grant.creates,
    delete: grant.settings.delete ?? false,
    move: grant.moves,
    locking: grant.locking,
    runs: nameOfLevel(runLevels, grant.runs),
    variables: nameOfLevel(variableLevels, grant.variables),
    'state-versions': nameOfLevel(stateLevels, grant.state_versions),
    'sentinel-mocks': grant.settings['sentinel-mocks'] ?? 'none',
    'run-tasks': grant.run_tasks,
    'policy-overrides': grant.settings['policy-overrides'] ?? false,
  },
});
