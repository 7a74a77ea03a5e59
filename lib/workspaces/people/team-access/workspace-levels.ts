import { attributesOf } from '../../../path/jsonapi/body.ts';
import { invalidAttribute } from '../../../path/jsonapi/error.ts';
import { flag, oneOf } from '../../../path/jsonapi/fields.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { namedLevels, nothing, runLevels, stateLevels, variableLevels } from '../../access/levels.ts';
import { type GrantLevels, nameOfLevel } from './grant.ts';

const fields = {
  access: oneOf(['read', 'plan', 'write', 'admin', 'custom']),
  runs: oneOf(['read', 'plan', 'apply']).nullable(),
  variables: oneOf(['none', 'read', 'write']).nullable(),
  'state-versions': oneOf(['none', 'read-outputs', 'read', 'write']).nullable(),
  'sentinel-mocks': oneOf(['none', 'read']).nullable(),
  'workspace-locking': flag().nullable(),
  'run-tasks': flag().nullable(),
  'policy-overrides': flag().nullable(),
};

const nobody: GrantLevels = {
  ...nothing,
  ...{ access: '', creates: false, project_admin: false, settings: {} },
};

/** What a custom set has where nothing was said of it. */
const customLevels: GrantLevels = { ...nobody, access: 'custom', runs: runLevels.read };

/**
 * What a document grants on a workspace, from what was granted before.
 *
 * @throws ApiError 422 without a name of a set, and for levels beside a named one
 */
export function workspaceLevels(call: ApiCall, old: GrantLevels | undefined): GrantLevels {
  const { access = old?.access, ...sent } = attributesOf(call, 'team-workspaces', fields);
  if (access === undefined) throw invalidAttribute('access', "Access can't be blank");
  if (access !== 'custom') {
    const [extra] = Object.entries(sent).flatMap(([name, value]) => (value === null ? [] : [name]));
    if (extra !== undefined) throw readOnly(extra, access);
    return setOf(access as keyof typeof namedLevels);
  }
  return custom(sent, old ?? customLevels);
}

export const readOnly = (name: string, access: string) =>
  invalidAttribute(
    name,
    `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')} is read-only when access level is '${access}'; use the 'custom' access level to set this attribute.`,
  );

/** The levels of a named set on a workspace. */
const setOf = (access: keyof typeof namedLevels): GrantLevels => ({
  ...nobody,
  ...namedLevels[access],
  access,
  settings: { 'sentinel-mocks': access === 'read' || access === 'plan' ? 'none' : 'read' },
});

type Sent = Omit<ReturnType<typeof attributesOf<typeof fields>>, 'access'>;

/** A change to `custom` keeps the levels of the set that it was. Nobody who may less than all is an administrator. */
function custom(sent: Sent, old: GrantLevels): GrantLevels {
  const { runs, variables, 'state-versions': states } = sent;
  return {
    ...old,
    access: 'custom',
    admin: false,
    moves: false,
    runs: runs == null ? old.runs : runLevels[runs],
    variables: variables == null ? old.variables : variableLevels[variables],
    state_versions: states == null ? old.state_versions : stateLevels[states],
    locking: sent['workspace-locking'] ?? old.locking,
    run_tasks: sent['run-tasks'] ?? old.run_tasks,
    settings: {
      'sentinel-mocks': sent['sentinel-mocks'] ?? old.settings['sentinel-mocks'] ?? 'none',
      'policy-overrides': sent['policy-overrides'] ?? old.settings['policy-overrides'] ?? false,
    },
  };
}

/** The attributes of such a grant. */
export const workspaceAttributes = (grant: GrantLevels) => ({
  access: grant.access,
  runs: nameOfLevel(runLevels, grant.runs),
  variables: nameOfLevel(variableLevels, grant.variables),
  'state-versions': nameOfLevel(stateLevels, grant.state_versions),
  'sentinel-mocks': grant.settings['sentinel-mocks'] ?? 'none',
  'workspace-locking': grant.locking,
  'run-tasks': grant.run_tasks,
  'policy-overrides': grant.settings['policy-overrides'] ?? false,
});
