// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/runs.ts.
import {
  arrayOf,
  bigintText,
  bool,
  bytea,
  generated,
  int,
  json,
  nullable,
  oneOf,
  text,
  timestamptz,
  withDefault,
} from '../sql/kinds.ts';

export const wsConfigurationVersionsTable = {
  id: text,
  workspace_id: text,
  status: withDefault(oneOf('pending', 'uploaded', 'archived', 'errored')),
  source: withDefault(text),
  auto_queue_runs: withDefault(bool),
  speculative: withDefault(bool),
  provisional: withDefault(bool),
  created_by_kind: nullable(text),
  created_by: nullable(text),
  timestamps: withDefault(json),
  blob_id: nullable(text),
  /** The order in which configuration versions were made. */
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
  error_message: nullable(text),
};

/** Commits from repositories that become configuration versions. */
export const wsIngressesTable = {
  id: text,
  configuration_version_id: text,
  workspace_id: text,
  organization_id: text,
  /** Tells the same announcement from another one. */
  delivery: text,
  /** What was asked for. */
  request: json,
  commit_sha: nullable(text),
  /** What is known of the commit, by the names of the API. */
  attributes: withDefault(json),
  changed_files: withDefault(json),
  run_id: nullable(text),
  /** Null: it was fetched or refused. */
  next_at: nullable(timestamptz),
  claimed_until: nullable(timestamptz),
  attempts: withDefault(int),
  /** When the status of the commit is looked at again; null: never. */
  status_at: nullable(timestamptz),
  status_sent: nullable(text),
  status_failures: withDefault(int),
  /** The order in which commits were announced. */
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
};

export const wsPoliciesTable = {
  id: text,
  organization_id: text,
  name: text,
  description: nullable(text),
  query: text,
  enforcement_level: oneOf('advisory', 'mandatory'),
  /** Rego; null until it is uploaded. */
  source: nullable(text),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

/** What the policies of a workspace say of a plan. */
export const wsPolicyEvaluationsTable = {
  id: text,
  stage_id: text,
  organization_id: text,
  status: withDefault(text),
  /** Whether its failure may be overridden. */
  overridable: withDefault(bool),
  /** Policies by their outcome. */
  counts: withDefault(json),
  tool_version: nullable(text),
  timestamps: withDefault(json),
  attempts: withDefault(int),
  /** When it is made; null: it has ended. */
  next_at: nullable(timestamptz),
  claimed_until: nullable(timestamptz),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

/** The part of one policy set in an evaluation, as the set was then. */
export const wsPolicyOutcomesTable = {
  id: text,
  evaluation_id: text,
  position: int,
  policy_set_name: text,
  policy_set_description: nullable(text),
  overridable: bool,
  /** One for each policy. */
  outcomes: json,
  counts: json,
  error: withDefault(text),
};

/** Workspaces to which a policy set does not apply. */
export const wsPolicySetExclusionsTable = {
  policy_set_id: text,
  workspace_id: text,
};

export const wsPolicySetPoliciesTable = {
  policy_set_id: text,
  policy_id: text,
};

export const wsPolicySetProjectsTable = {
  policy_set_id: text,
  project_id: text,
};

export const wsPolicySetWorkspacesTable = {
  policy_set_id: text,
  workspace_id: text,
};

export const wsPolicySetsTable = {
  id: text,
  organization_id: text,
  name: text,
  description: nullable(text),
  /** It applies to all workspaces of the organization. */
  global: withDefault(bool),
  overridable: withDefault(bool),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

export const wsRunCommentsTable = {
  id: text,
  run_id: text,
  event_id: text,
  body: text,
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
};

export const wsRunEventsTable = {
  id: text,
  run_id: text,
  action: text,
  created_by_kind: nullable(text),
  created_by: nullable(text),
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
};

/** Plans and applies that agents work on. */
export const wsRunJobsTable = {
  run_id: text,
  part: oneOf('plan', 'apply'),
  /** How often the part was taken. */
  epoch: withDefault(int),
  agent_id: nullable(text),
  /** Keyed hash of the token of the run. */
  hash: nullable(bytea),
  lease_until: nullable(timestamptz),
  plan_file_id: nullable(text),
  plan_json_id: nullable(text),
  plan_redacted_id: nullable(text),
  /**
   * `lease_until` as it was when the agent took the part, until it uses its token. Another time: the lease was
   * extended, so the agent has begun.
   */
  unused_until: nullable(timestamptz),
};

/** What the run tasks of a stage say. */
export const wsTaskResultsTable = {
  id: text,
  stage_id: text,
  organization_id: text,
  task_id: nullable(text),
  workspace_task_id: text,
  task_name: text,
  task_url: text,
  enforcement_level: oneOf('advisory', 'mandatory'),
  status: withDefault(text),
  message: withDefault(text),
  url: withDefault(text),
  timestamps: withDefault(json),
  /** Keyed hash of the token for the callback. */
  hash: nullable(bytea),
  attempts: withDefault(int),
  /** When its service is asked. */
  next_at: nullable(timestamptz),
  claimed_until: nullable(timestamptz),
  until: nullable(timestamptz),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

/** The points of a run at which run tasks are asked. */
export const wsTaskStagesTable = {
  id: text,
  run_id: text,
  stage: oneOf('pre_plan', 'post_plan', 'pre_apply', 'post_apply'),
  status: withDefault(text),
  timestamps: withDefault(json),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

export const wsOrganizationTasksTable = {
  id: text,
  organization_id: text,
  name: text,
  url: text,
  description: withDefault(text),
  /** Sealed. */
  hmac_key: nullable(bytea),
  enabled: withDefault(bool),
  /** Scheme and authority under which its service reaches this one. */
  origin: text,
  created_at: withDefault(timestamptz),
};

export const wsWorkspaceTasksTable = {
  id: text,
  workspace_id: text,
  task_id: text,
  stages: arrayOf(text),
  enforcement_level: oneOf('advisory', 'mandatory'),
  created_at: withDefault(timestamptz),
};

export const wsRunsTable = {
  id: text,
  workspace_id: text,
  status: withDefault(text),
  configuration_version_id: nullable(text),
  created_by_kind: nullable(text),
  created_by: nullable(text),
  message: withDefault(text),
  source: withDefault(text),
  settings: withDefault(json),
  /** Sealed. */
  variables: nullable(bytea),
  auto_apply: withDefault(bool),
  plan_only: withDefault(bool),
  timestamps: withDefault(json),
  plan: withDefault(json),
  apply: withDefault(json),
  plan_log_id: nullable(text),
  apply_log_id: nullable(text),
  /** The order in which runs were made. */
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
  confirmed_by_kind: nullable(text),
  confirmed_by: nullable(text),
  /** It is not shown among runs. */
  assessment: withDefault(bool),
};
