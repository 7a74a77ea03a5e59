import { type Relationship, type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import { stateLevels, variableLevels } from '../../access/levels.ts';
import { permissionsOf } from '../../access/permissions.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import { activityDuration, destroyAt } from '../auto-destroy/decide.ts';
import { readmeIdOf } from '../configuration-versions/readme.ts';
import type { Facts } from '../workspace-includes/facts.ts';
import { effectiveExecution } from '../workspace-settings/execution.ts';
import { type Settings, settingsOf } from '../workspace-settings/settings.ts';
import { vcsAttributes } from './vcs-view.ts';

/** The document of a workspace. `more`: relationships to included resources. `publicUrl`: what absolute addresses start with. */
export function viewOf(
  found: FoundWorkspace,
  facts: Facts,
  {
    publicUrl,
    more = {},
  }: { readonly publicUrl: string | undefined; readonly more?: Readonly<Record<string, Relationship>> | undefined },
): Resource {
  const { workspace, standing } = found;
  const { name } = standing.organization;
  return {
    id: workspace.id,
    type: 'workspaces',
    attributes: attributesOf(found, facts, publicUrl),
    relationships: { ...relationshipsOf(found, facts), ...more },
    links: {
      self: `/api/v2/organizations/${name}/workspaces/${workspace.name}`,
      'self-html': `/app/${name}/workspaces/${workspace.name}`,
    },
  };
}

function attributesOf({ workspace, standing, levels }: FoundWorkspace, facts: Facts, publicUrl: string | undefined) {
  const settings = settingsOf(workspace.settings);
  const { 'vcs-repo': repo, ...plain } = settings;
  const { mode } = effectiveExecution(workspace, facts, standing.organization);
  const isOwn = workspace.execution_mode !== null;
  const isAssessed = settings['assessments-enabled'] || standing.organization.assessments_enforced;
  return {
    ...plain,
    ...autoDestroy(workspace, settings, facts),
    'last-assessment-result-at': facts.assessed_at === null ? null : timeText(facts.assessed_at),
    ...vcsAttributes(repo, workspace.oauth_token_id, facts, publicUrl),
    ...measured(workspace),
    ...retained(facts),
    ...absent,
    name: workspace.name,
    environment: 'default',
    actions: { 'is-destroyable': settings['allow-destroy-plan'] },
    'assessments-enabled': isAssessed,
    'drift-detection': isAssessed,
    'can-queue-destroy-plan': permissionsOf(standing, levels)['can-queue-destroy-plan'],
    'engine-version': workspace.engine_version,
    'terraform-version': workspace.engine_version,
    'execution-mode': mode,
    operations: mode !== 'local',
    'global-remote-state': workspace.global_remote_state,
    locked: workspace.lock_kind !== null,
    'locked-reason': workspace.lock_reason,
    'setting-overwrites': { 'execution-mode': isOwn, 'agent-pool': isOwn },
    'tag-names': facts.tag_names,
    permissions: permissionsOf(standing, levels),
  };
}

/** Settings that the workspace does not override come from its project. A duration gives the time that is due without further activity. */
function autoDestroy(workspace: FoundWorkspace['workspace'], settings: Settings, facts: Facts) {
  const { duration, inherits } = activityDuration(settings, facts.project_auto_destroy);
  const at = settings['auto-destroy-at'];
  const scheduled = destroyAt({
    at: at === null ? undefined : new Date(at),
    duration,
    lastActivity: workspace.latest_change_at,
    hasResources: workspace.resource_count > 0,
  });
  return {
    'auto-destroy-at': scheduled === null ? null : timeText(scheduled),
    'auto-destroy-activity-duration': duration,
    'auto-destroy-status': facts.auto_destroy_status,
    'inherits-project-auto-destroy': inherits,
  };
}

function measured(workspace: FoundWorkspace['workspace']) {
  return {
    'created-at': timeText(workspace.created_at),
    'updated-at': timeText(workspace.updated_at),
    'latest-change-at': timeText(workspace.latest_change_at),
    'resource-count': workspace.resource_count,
    'run-failures': workspace.run_failures,
    'workspace-kpis-runs-count': workspace.runs_count,
    'plan-duration-average': workspace.plan_ms_average,
    'apply-duration-average': workspace.apply_ms_average,
    'policy-check-failures': workspace.policy_failures,
  };
}

/** What becomes of old state versions, configurations and files of runs, by the policy of the workspace or else of its organization. */
function retained({ retention_id, retention_of, retention_days }: Facts) {
  const source = retention_id === null ? "the organization's policy" : "the workspace's own policy";
  const what = retention_days === null ? 'Never deleted' : `Deleted after ${retention_days} days`;
  const sentence = retention_of === null ? null : `${what}, by ${source}`;
  return { 'effective-run-data-retention-desc': sentence, 'effective-state-version-retention-desc': sentence };
}

/** Attributes that clients expect, for measurements that this service does not make. */
const absent = {
  'hyok-enabled': false,
  'no-code-upgrade-available': false,
  'source-module-id': null,
};

function relationshipsOf(
  { workspace, standing, levels }: FoundWorkspace,
  facts: Facts,
): Readonly<Record<string, Relationship>> {
  const { id } = workspace;
  const { current_configuration_version_id: configuration } = workspace;
  const readme = facts.has_readme && configuration !== null ? readmeIdOf(configuration) : null;
  const outputs = levels.state_versions >= stateLevels['read-outputs'] ? facts.output_ids : [];
  const variables = levels.variables >= variableLevels.read ? facts.variable_ids : [];
  const linked = (name: string): Relationship => ({ links: { related: `/api/v2/workspaces/${id}/${name}` } });
  const run = related('runs', workspace.current_run_id);
  return {
    'agent-pool': related('agent-pools', effectiveExecution(workspace, facts, standing.organization).pool),
    'current-assessment-result': currentAssessment(workspace.id, facts),
    'current-configuration-version': related('configuration-versions', workspace.current_configuration_version_id),
    'current-run': run,
    'latest-run': run,
    'current-state-version': currentState(workspace),
    'data-retention-policy': {
      ...toOne(facts.retention_type ?? '', facts.retention_id),
      ...linked('relationships/data-retention-policy'),
    },
    'effective-tag-bindings': linked('effective-tag-bindings'),
    'locked-by': lockedBy(workspace),
    organization: { ...toOne('organizations', standing.organization.name) },
    outputs: toMany('workspace-outputs', outputs),
    project: related('projects', workspace.project_id),
    readme: toOne('workspace-readme', readme),
    'remote-state-consumers': linked('relationships/remote-state-consumers'),
    'ssh-key': related('ssh-keys', workspace.ssh_key_id),
    // Without `tags`: clients would read names from it instead of from `tag-names`.
    'tag-bindings': linked('tag-bindings'),
    vars: toMany('vars', variables),
  };
}

/** A relationship to one resource, with its address if it exists. */
const related = (type: string, id: string | null): Relationship => ({
  ...toOne(type, id),
  ...(id === null ? {} : { links: { related: `/api/v2/${type}/${id}` } }),
});

const currentAssessment = (id: string, { assessment_id }: Facts): Relationship => ({
  ...toOne('assessment-results', assessment_id),
  ...(assessment_id === null ? {} : { links: { related: `/api/v2/workspaces/${id}/current-assessment-result` } }),
});

const currentState = ({ id, current_state_version_id }: FoundWorkspace['workspace']): Relationship => ({
  ...toOne('state-versions', current_state_version_id),
  links: { related: `/api/v2/workspaces/${id}/current-state-version` },
});

const lockedBy = ({ lock_kind, lock_holder }: FoundWorkspace['workspace']): Relationship => ({
  ...toOne(lock_kind ?? 'users', lock_holder),
  ...(lock_kind === null ? {} : { links: { related: `/api/v2/${lock_kind}/${lock_holder}` } }),
});
