import type { Json } from '#core/json/json.ts';
import { attributesOf } from '#path/jsonapi/body.ts';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, oneOf } from '#path/jsonapi/fields.ts';
import { namedLevels, noLevels, runLevels, stateLevels, variableLevels } from '../../access/levels.ts';
import { type GrantLevels, nameOfLevel } from './grant.ts';

/** Attributes of a grant in a document. */
export const workspaceFields = {
  access: oneOf(['read', 'plan', 'write', 'admin', 'custom']),
  runs: oneOf(['read', 'plan', 'apply']).nullable(),
  variables: oneOf(['none', 'read', 'write']).nullable(),
  'state-versions': oneOf(['none', 'read-outputs', 'read', 'write']).nullable(),
  'sentinel-mocks': oneOf(['none', 'read']).nullable(),
  'workspace-locking': flag().nullable(),
  'run-tasks': flag().nullable(),
  'policy-overrides': flag().nullable(),
};

const noGrantLevels: GrantLevels = {
  ...noLevels,
  access: '',
  creates: false,
  project_admin: false,
  settings: {},
};

/** Default levels of a custom set. */
const customLevels: GrantLevels = { ...noGrantLevels, access: 'custom', runs: runLevels.read };

/**
 * The levels on a workspace after a request, given the previous ones.
 *
 * @throws ApiError 422 without the name of a set, or for individual levels together with a named set
 */
export function workspaceLevels(call: { readonly body: Json | undefined }, old: GrantLevels | undefined): GrantLevels {
  const { access = old?.access, ...sent } = attributesOf(call, 'team-workspaces', workspaceFields);
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

/** The levels of a named permission set on a workspace. */
const setOf = (access: keyof typeof namedLevels): GrantLevels => ({
  ...noGrantLevels,
  ...namedLevels[access],
  access,
  settings: { 'sentinel-mocks': access === 'read' || access === 'plan' ? 'none' : 'read' },
});

type Sent = Omit<ReturnType<typeof attributesOf<typeof workspaceFields>>, 'access'>;

/** A change to `custom` keeps the levels of the previous set, except for administration, which implies all rights. */
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

/** The attributes of a grant on a workspace. */
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
