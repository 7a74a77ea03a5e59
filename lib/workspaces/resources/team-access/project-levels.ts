import { z } from 'zod';
import type { Json } from '#core/json/json.ts';
import { attributesOf } from '#path/jsonapi/body.ts';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, oneOf } from '#path/jsonapi/fields.ts';
import { namedLevels, noLevels, runLevels, stateLevels, variableLevels } from '../../access/levels.ts';
import { type GrantLevels, type GrantSettings, nameOfLevel } from './grant.ts';
import { readOnly } from './workspace-levels.ts';

/** Attributes of a grant in a document. */
export const projectFields = {
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
  'project-settings': 'delete',
  'project-teams': 'manage',
  'variable-sets': 'write',
  'sentinel-mocks': 'read',
  delete: true,
};
const none = { creates: false, moves: false, project_admin: false };

/** The named permission sets of projects. */
const sets: Readonly<Record<string, GrantLevels>> = {
  read: { ...namedLevels.read, ...none, access: 'read', settings: { ...ordinary, 'variable-sets': 'read' } },
  write: {
    ...namedLevels.write,
    ...none,
    access: 'write',
    settings: { ...ordinary, 'variable-sets': 'read', 'sentinel-mocks': 'read' },
  },
  maintain: {
    ...namedLevels.admin,
    ...none,
    creates: true,
    access: 'maintain',
    settings: { ...ordinary, 'variable-sets': 'write', 'sentinel-mocks': 'read', delete: true },
  },
  admin: {
    ...namedLevels.admin,
    creates: true,
    moves: true,
    project_admin: true,
    access: 'admin',
    settings: everything,
  },
};

/** Default levels of a custom set. */
const customLevels: GrantLevels = {
  ...noLevels,
  ...none,
  access: 'custom',
  runs: runLevels.read,
  settings: { ...ordinary, 'variable-sets': 'none' },
};

/**
 * The levels on a project and its workspaces after a request, given the previous ones.
 *
 * @throws ApiError 422 without the name of a set, or for individual levels together with a named set
 */
export function projectLevels(call: { readonly body: Json | undefined }, old: GrantLevels | undefined): GrantLevels {
  const { access = old?.access, ...sent } = attributesOf(call, 'team-projects', projectFields);
  if (access === undefined) throw invalidAttribute('access', "Access can't be blank");
  const set = sets[access];
  if (set === undefined) return custom(sent, old ?? customLevels);
  const [extra] = Object.entries(sent).flatMap(([name, value]) => (isEmpty(value) ? [] : [name]));
  if (extra !== undefined) throw readOnly(extra, access);
  return set;
}

/** Clients send an empty object instead of no levels. */
const isEmpty = (levels: object | null | undefined): boolean =>
  Object.values(levels ?? {}).every((level) => level === null || level === undefined);

type Sent = Omit<ReturnType<typeof attributesOf<typeof projectFields>>, 'access'>;

/** A change to `custom` keeps the levels of the previous set, except for administration, for which there is no separate level. */
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

/** The attributes of a grant on a project. */
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
