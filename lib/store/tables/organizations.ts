// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/organizations.ts.
import { bool, bytea, int, json, nullable, text, timestamptz, uuid, withDefault } from '../sql/kinds.ts';

export const wsAuditEventsTable = {
  id: withDefault(uuid),
  organization_id: text,
  made_at: withDefault(timestamptz),
  actor_id: text,
  actor_name: text,
  request_id: text,
  resource_id: text,
  resource_type: text,
  action: text,
};

/** What a team may do in one workspace or one project. */
export const wsGrantsTable = {
  id: text,
  team_id: text,
  workspace_id: nullable(text),
  project_id: nullable(text),
  access: text,
  runs: int,
  variables: int,
  state_versions: int,
  locking: bool,
  run_tasks: bool,
  admin: bool,
  creates: withDefault(bool),
  moves: withDefault(bool),
  project_admin: withDefault(bool),
  settings: withDefault(json),
  created_at: withDefault(timestamptz),
};

export const wsMembershipsTable = {
  id: text,
  organization_id: text,
  /** Null until the invitation is accepted by an unknown address. */
  user_id: nullable(text),
  email: withDefault(text),
  status: text,
  created_at: withDefault(timestamptz),
};

export const wsOrganizationsTable = {
  id: text,
  name: text,
  email: text,
  default_execution_mode: withDefault(text),
  default_agent_pool_id: nullable(text),
  default_project_id: nullable(text),
  allow_force_delete_workspaces: withDefault(bool),
  assessments_enforced: withDefault(bool),
  settings: withDefault(json),
  /** When its deletion began; null while it is in use. */
  removed_at: nullable(timestamptz),
  created_at: withDefault(timestamptz),
};

export const wsProjectsTable = {
  id: text,
  organization_id: text,
  name: text,
  description: nullable(text),
  default_execution_mode: nullable(text),
  default_agent_pool_id: nullable(text),
  auto_destroy_activity_duration: nullable(text),
  created_at: withDefault(timestamptz),
};

export const wsTeamMembersTable = {
  team_id: text,
  user_id: text,
};

export const wsTeamsTable = {
  id: text,
  organization_id: text,
  name: text,
  owners: withDefault(bool),
  access: withDefault(json),
  visibility: withDefault(text),
  settings: withDefault(json),
  created_at: withDefault(timestamptz),
};

/** Tokens of users, teams and organizations: each belongs to exactly one. */
export const wsTokensTable = {
  id: text,
  /** Keyed hash of the token. */
  hash: bytea,
  user_id: nullable(text),
  team_id: nullable(text),
  organization_id: nullable(text),
  description: nullable(text),
  created_by: nullable(text),
  created_at: withDefault(timestamptz),
  last_used_at: nullable(timestamptz),
  expire_at: nullable(timestamptz),
  purpose: nullable(text),
};

export const wsUsersTable = {
  id: text,
  username: text,
  email: withDefault(text),
  unconfirmed_email: nullable(text),
  entity_id: nullable(text),
  site_admin: withDefault(bool),
  suspended: withDefault(bool),
  invited: withDefault(bool),
  created_at: withDefault(timestamptz),
};
