import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { Standing } from '../../access/standing.ts';
import { settingDefaults } from './fields.ts';

/** The data retention policy of an organization. Clients read its type here before they request it. */
export interface RetentionLink {
  readonly id: string;
  readonly type: string;
}

/** The document of an organization as the caller sees it. Its id is its name. */
export function organizationResource(standing: Standing, retention?: RetentionLink): Resource {
  const { id, name, email, created_at, settings, ...own } = standing.organization;
  const self = `/api/v2/organizations/${name}`;
  return {
    id: name,
    type: 'organizations',
    attributes: {
      name,
      email,
      'external-id': id,
      'created-at': timeText(created_at),
      'allow-force-delete-workspaces': own.allow_force_delete_workspaces,
      'assessments-enforced': own.assessments_enforced,
      'default-execution-mode': own.default_execution_mode,
      ...fixed,
      ...settingDefaults,
      ...settings,
      permissions: organizationPermissions(standing),
    },
    relationships: {
      'default-agent-pool': toOne('agent-pools', own.default_agent_pool_id),
      'default-project': toOne('projects', own.default_project_id),
      'authentication-token': { links: { related: `${self}/authentication-token` } },
      'entitlement-set': { ...toOne('entitlement-sets', id), links: { related: `${self}/entitlement-set` } },
      'oauth-tokens': { links: { related: `${self}/oauth-tokens` } },
      'data-retention-policy': {
        ...toOne(retention?.type ?? '', retention?.id ?? null),
        links: { related: `${self}/relationships/data-retention-policy` },
      },
    },
    links: { self },
  };
}

/** Attributes that clients expect, for features that this service does not have. */
const fixed = {
  'enforce-hyok': false,
  'is-unified': false,
  'plan-expired': false,
  'plan-is-trial': false,
  'saml-enabled': false,
  'trial-expires-at': null,
  'two-factor-conformant': false,
};

/** The `permissions` of an organization, by their API names. */
function organizationPermissions({ isOwner, may }: Standing) {
  return {
    'can-update': isOwner,
    'can-destroy': isOwner,
    'can-access-via-teams': true,
    'can-create-module': false,
    'can-create-team': may('manage-teams'),
    'can-create-workspace': may('manage-workspaces') || may('manage-projects'),
    'can-create-project': may('manage-projects'),
    'can-manage-users': may('manage-membership'),
    'can-manage-memberships': may('manage-membership'),
    'can-manage-sso': false,
    'can-manage-subscription': false,
    'can-update-oauth': may('manage-vcs-settings'),
    'can-update-sentinel': false,
    'can-update-ssh-keys': may('manage-vcs-settings'),
    'can-update-api-token': isOwner,
    'can-update-agent-pools': may('manage-agent-pools'),
    'can-manage-run-tasks': may('manage-run-tasks'),
    'can-manage-tags': may('manage-workspaces') || may('manage-projects'),
    'can-manage-varsets': may('manage-workspaces') || may('manage-projects'),
    'can-read-varsets': true,
    'can-start-trial': false,
    'can-traverse': true,
    'can-view-agent-pools': true,
  };
}
