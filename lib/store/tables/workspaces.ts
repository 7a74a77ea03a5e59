// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/workspaces.ts.
import {
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

/** Workspaces that are assessed. */
export const wsAssessmentSchedulesTable = {
  workspace_id: text,
  organization_id: text,
  look_at: timestamptz,
};

/** Looks for drift and failing checks, each by a run that no list shows. */
export const wsAssessmentsTable = {
  id: text,
  workspace_id: text,
  run_id: text,
  /** Null while it goes on. */
  succeeded: nullable(bool),
  drifted: withDefault(bool),
  resources_drifted: withDefault(int),
  resources_undrifted: withDefault(int),
  checks_passed: withDefault(int),
  checks_failed: withDefault(int),
  checks_errored: withDefault(int),
  checks_unknown: withDefault(int),
  error: nullable(text),
  created_at: withDefault(timestamptz),
};

/** Ephemeral workspaces. */
export const wsAutoDestroysTable = {
  workspace_id: text,
  organization_id: text,
  /** When the sweep looks at it next. */
  look_at: nullable(timestamptz),
  /** The scheduled time that reminders were counted for. */
  destroy_at: nullable(timestamptz),
  /** The last reminder, in hours before that time. */
  reminded_hours: nullable(int),
  /** The last run that destroyed its resources. */
  run_id: nullable(text),
  /** Why there could be no such run. */
  failure: nullable(text),
};

/** Workspaces that may read the state of another one. */
export const wsConsumersTable = {
  workspace_id: text,
  consumer_id: text,
};

export const wsReadmesTable = {
  configuration_version_id: text,
  markdown: bytea,
};

export const wsReservedTagKeysTable = {
  id: text,
  organization_id: text,
  key: text,
  disable_overrides: withDefault(bool),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
};

export const wsRetentionPoliciesTable = {
  id: text,
  workspace_id: nullable(text),
  organization_id: nullable(text),
  type: text,
  days: nullable(int),
};

/** A run of the source starts one of the workspace. */
export const wsRunTriggersTable = {
  id: text,
  workspace_id: text,
  source_id: text,
  created_at: withDefault(timestamptz),
};

export const wsSshKeysTable = {
  id: text,
  organization_id: text,
  name: text,
  /** Sealed. */
  value: bytea,
  created_at: withDefault(timestamptz),
};

export const wsTagBindingsTable = {
  id: text,
  workspace_id: nullable(text),
  project_id: nullable(text),
  key: text,
  value: text,
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
  organization_id: text,
};

export const wsTagsTable = {
  id: text,
  organization_id: text,
  name: text,
  created_at: withDefault(timestamptz),
};

export const wsWorkspaceTagsTable = {
  workspace_id: text,
  tag_id: text,
  position: generated(bigintText),
};

export const wsWorkspacesTable = {
  id: text,
  organization_id: text,
  project_id: text,
  name: text,
  settings: withDefault(json),
  /** Null: the default of its project or its organization. */
  execution_mode: nullable(text),
  agent_pool_id: nullable(text),
  engine_version: text,
  global_remote_state: withDefault(bool),
  ssh_key_id: nullable(text),
  oauth_token_id: nullable(text),
  lock_kind: nullable(oneOf('users', 'teams', 'runs')),
  lock_holder: nullable(text),
  lock_reason: nullable(text),
  current_state_version_id: nullable(text),
  current_run_id: nullable(text),
  current_configuration_version_id: nullable(text),
  resource_count: withDefault(int),
  /** How many of its last runs the measures are made of. */
  runs_count: withDefault(int),
  /** How many of these are errored. */
  run_failures: withDefault(int),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
  latest_change_at: withDefault(timestamptz),
  /** The number of the present lock, or of the last one: no other lock of the workspace has it. */
  lock_epoch: withDefault(bigintText),
  /** Null: none of these has a finished plan. */
  plan_ms_average: nullable(int),
  /** Null: none of these has a finished apply. */
  apply_ms_average: nullable(int),
  /** How many of these had failing policies. */
  policy_failures: withDefault(int),
};
