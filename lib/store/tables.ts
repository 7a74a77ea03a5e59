// Written by `npm run generate` from the migrated schema.
import type { TableOf } from './sql/columns.ts';
import type {
  wsAgentPoolScopesTable,
  wsAgentPoolsTable,
  wsAgentsTable,
  wsAgentTokensTable,
  wsDeliveriesTable,
  wsNotificationsTable,
  wsNotificationUsersTable,
  wsOauthClientProjectsTable,
  wsOauthClientsTable,
  wsOauthTokensTable,
} from './tables/connections.ts';
import type {
  entitiesTable,
  entityAliasesTable,
  groupAliasesTable,
  groupEntitiesTable,
  groupGroupsTable,
  identityGroupsTable,
  mergedEntitiesTable,
  mfaAttemptsTable,
  mfaEnforcementMethodsTable,
  mfaEnforcementsTable,
  mfaMethodsTable,
  mfaPendingLoginsTable,
  mfaSecretsTable,
  mfaUsedCodesTable,
  oidcAccessTokensTable,
  oidcClientsTable,
  oidcCodesTable,
  oidcIssuersTable,
  oidcKeysTable,
  oidcKeyVersionsTable,
  oidcRolesTable,
  oidcSettingsTable,
} from './tables/identity.ts';
import type {
  auditDevicesTable,
  auditHeadersTable,
  keyAttemptsTable,
  lineageTable,
  quotasTable,
  revisionsTable,
  schemaMigrationsTable,
  sealTable,
  settingsTable,
} from './tables/installation.ts';
import type {
  approleRolesTable,
  approleSecretIdsTable,
  authConfigsTable,
  authRolesTable,
  browserLoginsTable,
  loginFailuresTable,
  userpassUsersTable,
} from './tables/logins.ts';
import type { mountMovesTable, mountsTable, namespacesTable } from './tables/mounts.ts';
import type { syncDeliveriesTable, syncEventsTable, syncNotificationsTable, syncToldTable } from './tables/notices.ts';
import type {
  wsAuditEventsTable,
  wsGrantsTable,
  wsMembershipsTable,
  wsOrganizationsTable,
  wsProjectsTable,
  wsTeamMembersTable,
  wsTeamsTable,
  wsTokensTable,
  wsUsersTable,
} from './tables/organizations.ts';
import type {
  wsConfigurationVersionsTable,
  wsIngressesTable,
  wsOrganizationTasksTable,
  wsPoliciesTable,
  wsPolicyEvaluationsTable,
  wsPolicyOutcomesTable,
  wsPolicySetExclusionsTable,
  wsPolicySetPoliciesTable,
  wsPolicySetProjectsTable,
  wsPolicySetsTable,
  wsPolicySetWorkspacesTable,
  wsRunCommentsTable,
  wsRunEventsTable,
  wsRunJobsTable,
  wsRunsTable,
  wsTaskResultsTable,
  wsTaskStagesTable,
  wsWorkspaceTasksTable,
} from './tables/runs.ts';
import type { cubbyholeTable, kvMountsTable, kvSecretsTable, kvVersionsTable } from './tables/secrets.ts';
import type { wsBlobChunksTable, wsBlobsTable, wsStateOutputsTable, wsStateVersionsTable } from './tables/states.ts';
import type {
  associationCountsTable,
  associationsTable,
  destinationDriftTable,
  destinationResultsTable,
  destinationsTable,
  markingsTable,
  repoHostAppsTable,
  syncAttemptsTable,
  syncBatchesTable,
  syncBatchItemsTable,
  syncBatchSecretsTable,
  syncConfigTable,
  syncObjectsTable,
  syncPlanDestinationsTable,
  syncPlanItemsTable,
  syncPlansTable,
  syncRuleDestinationsTable,
  syncRulesTable,
  syncRuleWorkTable,
  syncSampleSlotsTable,
  syncSampleSpansTable,
  syncSampleSumsTable,
  syncSamplesTable,
} from './tables/sync.ts';
import type {
  passwordPoliciesTable,
  policiesTable,
  tokenRolesTable,
  tokensTable,
  tokenTidyTable,
  wrappedRepliesTable,
} from './tables/tokens.ts';
import type {
  wsVariableSetProjectsTable,
  wsVariableSetsTable,
  wsVariableSetWorkspacesTable,
  wsVariablesTable,
} from './tables/variables.ts';
import type {
  wsAssessmentSchedulesTable,
  wsAssessmentsTable,
  wsAutoDestroysTable,
  wsConsumersTable,
  wsReadmesTable,
  wsReservedTagKeysTable,
  wsRetentionPoliciesTable,
  wsRunTriggersTable,
  wsSshKeysTable,
  wsTagBindingsTable,
  wsTagsTable,
  wsWorkspacesTable,
  wsWorkspaceTagsTable,
} from './tables/workspaces.ts';

/**
 * Every table as Kysely sees it. The columns are in `tables/`, with what they hold. A `bytea` column that is called sealed holds what
 * the barrier made of a value; everything else can be read by anyone with access to the database, so nothing sensitive is in it.
 */
export interface Database {
  approle_roles: TableOf<typeof approleRolesTable>;
  approle_secret_ids: TableOf<typeof approleSecretIdsTable>;
  association_counts: TableOf<typeof associationCountsTable>;
  associations: TableOf<typeof associationsTable>;
  audit_devices: TableOf<typeof auditDevicesTable>;
  audit_headers: TableOf<typeof auditHeadersTable>;
  auth_configs: TableOf<typeof authConfigsTable>;
  auth_roles: TableOf<typeof authRolesTable>;
  browser_logins: TableOf<typeof browserLoginsTable>;
  cubbyhole: TableOf<typeof cubbyholeTable>;
  destination_drift: TableOf<typeof destinationDriftTable>;
  destination_results: TableOf<typeof destinationResultsTable>;
  destinations: TableOf<typeof destinationsTable>;
  entities: TableOf<typeof entitiesTable>;
  entity_aliases: TableOf<typeof entityAliasesTable>;
  group_aliases: TableOf<typeof groupAliasesTable>;
  group_entities: TableOf<typeof groupEntitiesTable>;
  group_groups: TableOf<typeof groupGroupsTable>;
  identity_groups: TableOf<typeof identityGroupsTable>;
  key_attempts: TableOf<typeof keyAttemptsTable>;
  kv_mounts: TableOf<typeof kvMountsTable>;
  kv_secrets: TableOf<typeof kvSecretsTable>;
  kv_versions: TableOf<typeof kvVersionsTable>;
  lineage: TableOf<typeof lineageTable>;
  login_failures: TableOf<typeof loginFailuresTable>;
  markings: TableOf<typeof markingsTable>;
  merged_entities: TableOf<typeof mergedEntitiesTable>;
  mfa_attempts: TableOf<typeof mfaAttemptsTable>;
  mfa_enforcement_methods: TableOf<typeof mfaEnforcementMethodsTable>;
  mfa_enforcements: TableOf<typeof mfaEnforcementsTable>;
  mfa_methods: TableOf<typeof mfaMethodsTable>;
  mfa_pending_logins: TableOf<typeof mfaPendingLoginsTable>;
  mfa_secrets: TableOf<typeof mfaSecretsTable>;
  mfa_used_codes: TableOf<typeof mfaUsedCodesTable>;
  mount_moves: TableOf<typeof mountMovesTable>;
  mounts: TableOf<typeof mountsTable>;
  namespaces: TableOf<typeof namespacesTable>;
  oidc_access_tokens: TableOf<typeof oidcAccessTokensTable>;
  oidc_clients: TableOf<typeof oidcClientsTable>;
  oidc_codes: TableOf<typeof oidcCodesTable>;
  oidc_issuers: TableOf<typeof oidcIssuersTable>;
  oidc_key_versions: TableOf<typeof oidcKeyVersionsTable>;
  oidc_keys: TableOf<typeof oidcKeysTable>;
  oidc_roles: TableOf<typeof oidcRolesTable>;
  oidc_settings: TableOf<typeof oidcSettingsTable>;
  password_policies: TableOf<typeof passwordPoliciesTable>;
  policies: TableOf<typeof policiesTable>;
  quotas: TableOf<typeof quotasTable>;
  repo_host_apps: TableOf<typeof repoHostAppsTable>;
  revisions: TableOf<typeof revisionsTable>;
  schema_migrations: TableOf<typeof schemaMigrationsTable>;
  seal: TableOf<typeof sealTable>;
  settings: TableOf<typeof settingsTable>;
  sync_attempts: TableOf<typeof syncAttemptsTable>;
  sync_batch_items: TableOf<typeof syncBatchItemsTable>;
  sync_batch_secrets: TableOf<typeof syncBatchSecretsTable>;
  sync_batches: TableOf<typeof syncBatchesTable>;
  sync_config: TableOf<typeof syncConfigTable>;
  sync_deliveries: TableOf<typeof syncDeliveriesTable>;
  sync_events: TableOf<typeof syncEventsTable>;
  sync_notifications: TableOf<typeof syncNotificationsTable>;
  sync_objects: TableOf<typeof syncObjectsTable>;
  sync_plan_destinations: TableOf<typeof syncPlanDestinationsTable>;
  sync_plan_items: TableOf<typeof syncPlanItemsTable>;
  sync_plans: TableOf<typeof syncPlansTable>;
  sync_rule_destinations: TableOf<typeof syncRuleDestinationsTable>;
  sync_rule_work: TableOf<typeof syncRuleWorkTable>;
  sync_rules: TableOf<typeof syncRulesTable>;
  sync_sample_slots: TableOf<typeof syncSampleSlotsTable>;
  sync_sample_spans: TableOf<typeof syncSampleSpansTable>;
  sync_sample_sums: TableOf<typeof syncSampleSumsTable>;
  sync_samples: TableOf<typeof syncSamplesTable>;
  sync_told: TableOf<typeof syncToldTable>;
  token_roles: TableOf<typeof tokenRolesTable>;
  token_tidy: TableOf<typeof tokenTidyTable>;
  tokens: TableOf<typeof tokensTable>;
  userpass_users: TableOf<typeof userpassUsersTable>;
  wrapped_replies: TableOf<typeof wrappedRepliesTable>;
  ws_agent_pool_scopes: TableOf<typeof wsAgentPoolScopesTable>;
  ws_agent_pools: TableOf<typeof wsAgentPoolsTable>;
  ws_agent_tokens: TableOf<typeof wsAgentTokensTable>;
  ws_agents: TableOf<typeof wsAgentsTable>;
  ws_assessment_schedules: TableOf<typeof wsAssessmentSchedulesTable>;
  ws_assessments: TableOf<typeof wsAssessmentsTable>;
  ws_audit_events: TableOf<typeof wsAuditEventsTable>;
  ws_auto_destroys: TableOf<typeof wsAutoDestroysTable>;
  ws_blob_chunks: TableOf<typeof wsBlobChunksTable>;
  ws_blobs: TableOf<typeof wsBlobsTable>;
  ws_configuration_versions: TableOf<typeof wsConfigurationVersionsTable>;
  ws_consumers: TableOf<typeof wsConsumersTable>;
  ws_deliveries: TableOf<typeof wsDeliveriesTable>;
  ws_grants: TableOf<typeof wsGrantsTable>;
  ws_ingresses: TableOf<typeof wsIngressesTable>;
  ws_memberships: TableOf<typeof wsMembershipsTable>;
  ws_notification_users: TableOf<typeof wsNotificationUsersTable>;
  ws_notifications: TableOf<typeof wsNotificationsTable>;
  ws_oauth_client_projects: TableOf<typeof wsOauthClientProjectsTable>;
  ws_oauth_clients: TableOf<typeof wsOauthClientsTable>;
  ws_oauth_tokens: TableOf<typeof wsOauthTokensTable>;
  ws_organization_tasks: TableOf<typeof wsOrganizationTasksTable>;
  ws_organizations: TableOf<typeof wsOrganizationsTable>;
  ws_policies: TableOf<typeof wsPoliciesTable>;
  ws_policy_evaluations: TableOf<typeof wsPolicyEvaluationsTable>;
  ws_policy_outcomes: TableOf<typeof wsPolicyOutcomesTable>;
  ws_policy_set_exclusions: TableOf<typeof wsPolicySetExclusionsTable>;
  ws_policy_set_policies: TableOf<typeof wsPolicySetPoliciesTable>;
  ws_policy_set_projects: TableOf<typeof wsPolicySetProjectsTable>;
  ws_policy_set_workspaces: TableOf<typeof wsPolicySetWorkspacesTable>;
  ws_policy_sets: TableOf<typeof wsPolicySetsTable>;
  ws_projects: TableOf<typeof wsProjectsTable>;
  ws_readmes: TableOf<typeof wsReadmesTable>;
  ws_reserved_tag_keys: TableOf<typeof wsReservedTagKeysTable>;
  ws_retention_policies: TableOf<typeof wsRetentionPoliciesTable>;
  ws_run_comments: TableOf<typeof wsRunCommentsTable>;
  ws_run_events: TableOf<typeof wsRunEventsTable>;
  ws_run_jobs: TableOf<typeof wsRunJobsTable>;
  ws_run_triggers: TableOf<typeof wsRunTriggersTable>;
  ws_runs: TableOf<typeof wsRunsTable>;
  ws_ssh_keys: TableOf<typeof wsSshKeysTable>;
  ws_state_outputs: TableOf<typeof wsStateOutputsTable>;
  ws_state_versions: TableOf<typeof wsStateVersionsTable>;
  ws_tag_bindings: TableOf<typeof wsTagBindingsTable>;
  ws_tags: TableOf<typeof wsTagsTable>;
  ws_task_results: TableOf<typeof wsTaskResultsTable>;
  ws_task_stages: TableOf<typeof wsTaskStagesTable>;
  ws_team_members: TableOf<typeof wsTeamMembersTable>;
  ws_teams: TableOf<typeof wsTeamsTable>;
  ws_tokens: TableOf<typeof wsTokensTable>;
  ws_users: TableOf<typeof wsUsersTable>;
  ws_variable_set_projects: TableOf<typeof wsVariableSetProjectsTable>;
  ws_variable_set_workspaces: TableOf<typeof wsVariableSetWorkspacesTable>;
  ws_variable_sets: TableOf<typeof wsVariableSetsTable>;
  ws_variables: TableOf<typeof wsVariablesTable>;
  ws_workspace_tags: TableOf<typeof wsWorkspaceTagsTable>;
  ws_workspace_tasks: TableOf<typeof wsWorkspaceTasksTable>;
  ws_workspaces: TableOf<typeof wsWorkspacesTable>;
}
