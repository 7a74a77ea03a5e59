// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/connections.ts.
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

export const wsAgentPoolScopesTable = {
  agent_pool_id: text,
  kind: oneOf('allowed-workspaces', 'allowed-projects', 'excluded-workspaces'),
  workspace_id: nullable(text),
  project_id: nullable(text),
};

export const wsAgentPoolsTable = {
  id: text,
  organization_id: text,
  name: text,
  organization_scoped: withDefault(bool),
  created_at: withDefault(timestamptz),
};

export const wsAgentTokensTable = {
  id: text,
  agent_pool_id: text,
  /** Keyed hash of the token. */
  hash: bytea,
  description: text,
  created_by: nullable(text),
  created_at: withDefault(timestamptz),
  last_used_at: nullable(timestamptz),
};

export const wsAgentsTable = {
  id: text,
  agent_pool_id: text,
  name: text,
  version: text,
  ip_address: nullable(text),
  exited: withDefault(bool),
  last_ping_at: withDefault(timestamptz),
  created_at: withDefault(timestamptz),
};

/** Notifications that are to be sent. */
export const wsDeliveriesTable = {
  id: generated(bigintText),
  notification_id: text,
  payload: json,
  attempts: withDefault(int),
  made_at: withDefault(timestamptz),
  settled: withDefault(arrayOf(text)),
};

export const wsNotificationUsersTable = {
  notification_id: text,
  organization_id: text,
  user_id: text,
};

export const wsNotificationsTable = {
  id: text,
  workspace_id: nullable(text),
  settings: json,
  /** Sealed. */
  token: nullable(bytea),
  deliveries: withDefault(json),
  created_at: withDefault(timestamptz),
  updated_at: withDefault(timestamptz),
  organization_id: text,
  next_at: nullable(timestamptz),
  claimed_until: nullable(timestamptz),
  failures: withDefault(int),
  project_id: nullable(text),
  team_id: nullable(text),
  origin: nullable(text),
};

export const wsOauthClientProjectsTable = {
  client_id: text,
  project_id: text,
};

export const wsOauthClientsTable = {
  id: text,
  organization_id: text,
  settings: json,
  /** Sealed. */
  secret: nullable(bytea),
  /** Sealed. */
  private_key: nullable(bytea),
  created_at: withDefault(timestamptz),
  /** Sealed. */
  webhook_secret: nullable(bytea),
};

export const wsOauthTokensTable = {
  id: text,
  client_id: text,
  service_provider_user: nullable(text),
  /** Sealed. */
  secret: nullable(bytea),
  /** Sealed. */
  ssh_key: nullable(bytea),
  created_at: withDefault(timestamptz),
};
