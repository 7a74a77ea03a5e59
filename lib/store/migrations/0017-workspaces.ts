import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The workspace service: callers (users, teams, tokens), what they own (organizations, projects, workspaces), what teams may do
 * (grants), and the resources that workspaces are bound to. Ids are texts such as `ws-6jrRyVDv1J8zQMB5`.
 */
export async function workspaces(db: QueryExecutorProvider): Promise<void> {
  for (const statement of [...people, ...places, ...bonds]) await sql.raw(statement).execute(db);
}

const id = 'id text collate "C" primary key';
const ofOrganization = 'organization_id text collate "C" not null references ws_organizations (id) on delete cascade';
const ofTeam = 'team_id text collate "C" not null references ws_teams (id) on delete cascade';
const created = 'created_at timestamptz not null default now()';

const people = [
  `create table ws_users (
     ${id},
     username text not null,
     email text not null default '',
     -- What the user wrote itself: invitations go by the other one.
     unconfirmed_email text,
     entity_id text collate "C" unique references entities (id) on delete set null,
     site_admin boolean not null default false,
     suspended boolean not null default false,
     -- Stands for an address that was invited, until an administrator of the site makes the user of it.
     invited boolean not null default false,
     ${created}
   )`,
  'create unique index ws_users_username on ws_users (lower(username))',
  `create unique index ws_users_email on ws_users (lower(email)) where email <> ''`,
  // The user for callers with the root token of the secrets service.
  `insert into ws_users (id, username, site_admin) values ('user-root', 'root', true)`,
  `create table ws_organizations (
     ${id},
     name text not null,
     email text not null,
     default_execution_mode text not null default 'remote',
     default_agent_pool_id text collate "C",
     default_project_id text collate "C",
     allow_force_delete_workspaces boolean not null default false,
     assessments_enforced boolean not null default false,
     settings jsonb not null default '{}',
     -- What is left of it is being removed.
     removed_at timestamptz,
     ${created}
   )`,
  'create unique index ws_organizations_name on ws_organizations (lower(name))',
  `create table ws_memberships (
     ${id},
     ${ofOrganization},
     user_id text collate "C" references ws_users (id) on delete cascade,
     email text not null default '',
     status text not null,
     ${created},
     unique (organization_id, user_id)
   )`,
  'create index ws_memberships_user on ws_memberships (user_id)',
  `create table ws_teams (
     ${id},
     ${ofOrganization},
     name text not null,
     owners boolean not null default false,
     access jsonb not null default '{}',
     visibility text not null default 'secret',
     settings jsonb not null default '{}',
     ${created}
   )`,
  'create unique index ws_teams_name on ws_teams (organization_id, lower(name))',
  `create table ws_team_members (
     ${ofTeam},
     user_id text collate "C" not null references ws_users (id) on delete cascade,
     primary key (team_id, user_id)
   )`,
  'create index ws_team_members_user on ws_team_members (user_id)',
  // Exactly one of the three owners is set.
  `create table ws_tokens (
     ${id},
     hash bytea not null unique,
     user_id text collate "C" references ws_users (id) on delete cascade,
     team_id text collate "C" references ws_teams (id) on delete cascade,
     organization_id text collate "C" references ws_organizations (id) on delete cascade,
     description text,
     created_by text collate "C",
     ${created},
     last_used_at timestamptz,
     expire_at timestamptz,
     check (num_nonnulls(user_id, team_id, organization_id) = 1)
   )`,
  'create index ws_tokens_user on ws_tokens (user_id)',
  'create index ws_tokens_team on ws_tokens (team_id)',
  'create index ws_tokens_organization on ws_tokens (organization_id)',
  'create index ws_tokens_expire on ws_tokens (expire_at)',
];

const places = [
  `create table ws_agent_pools (
     ${id},
     ${ofOrganization},
     name text not null,
     organization_scoped boolean not null default true,
     ${created}
   )`,
  'create unique index ws_agent_pools_name on ws_agent_pools (organization_id, lower(name))',
  // The value is sealed.
  `create table ws_ssh_keys (
     ${id},
     ${ofOrganization},
     name text not null,
     value bytea not null,
     ${created}
   )`,
  'create index ws_ssh_keys_organization on ws_ssh_keys (organization_id, name)',
  // All secrets of clients and tokens are sealed.
  `create table ws_oauth_clients (
     ${id},
     ${ofOrganization},
     settings jsonb not null,
     secret bytea,
     private_key bytea,
     ${created}
   )`,
  'create index ws_oauth_clients_organization on ws_oauth_clients (organization_id)',
  `create table ws_oauth_tokens (
     ${id},
     client_id text collate "C" not null references ws_oauth_clients (id) on delete cascade,
     service_provider_user text,
     secret bytea,
     ssh_key bytea,
     ${created}
   )`,
  'create index ws_oauth_tokens_client on ws_oauth_tokens (client_id)',
  `create table ws_projects (
     ${id},
     ${ofOrganization},
     name text not null,
     description text,
     default_execution_mode text,
     default_agent_pool_id text collate "C" references ws_agent_pools (id) on delete set null,
     auto_destroy_activity_duration text,
     ${created}
   )`,
  'create unique index ws_projects_name on ws_projects (organization_id, lower(name))',
  `alter table ws_organizations
     add foreign key (default_project_id) references ws_projects (id) deferrable initially deferred,
     add foreign key (default_agent_pool_id) references ws_agent_pools (id) on delete set null deferrable initially deferred`,
  // Fields that many requests filter by or change separately have columns; the settings hold the rest, under the names of the API.
  `create table ws_workspaces (
     ${id},
     ${ofOrganization},
     project_id text collate "C" not null references ws_projects (id),
     name text not null,
     settings jsonb not null default '{}',
     execution_mode text,
     agent_pool_id text collate "C" references ws_agent_pools (id) on delete set null,
     engine_version text not null,
     global_remote_state boolean not null default false,
     ssh_key_id text collate "C" references ws_ssh_keys (id) on delete set null,
     oauth_token_id text collate "C" references ws_oauth_tokens (id) on delete set null,
     lock_kind text check (lock_kind in ('users', 'teams', 'runs')),
     lock_holder text collate "C",
     lock_reason text,
     current_state_version_id text collate "C",
     current_run_id text collate "C",
     current_configuration_version_id text collate "C",
     resource_count integer not null default 0,
     runs_count integer not null default 0,
     run_failures integer not null default 0,
     ${created},
     updated_at timestamptz not null default now(),
     latest_change_at timestamptz not null default now(),
     check ((lock_kind is null) = (lock_holder is null))
   )`,
  'create unique index ws_workspaces_name on ws_workspaces (organization_id, lower(name))',
  'create index ws_workspaces_project on ws_workspaces (project_id)',
  'create index ws_workspaces_change on ws_workspaces (organization_id, latest_change_at, id)',
  'create index ws_workspaces_ssh_key on ws_workspaces (ssh_key_id)',
  'create index ws_workspaces_agent_pool on ws_workspaces (agent_pool_id)',
  'create index ws_workspaces_oauth_token on ws_workspaces (oauth_token_id)',
];

const ofWorkspace = 'workspace_id text collate "C" not null references ws_workspaces (id) on delete cascade';

const ofPool = 'agent_pool_id text collate "C" not null references ws_agent_pools (id) on delete cascade';

const bonds = [
  // What a team may do with a workspace, or with all workspaces of a project. The numbers are levels; higher means more access.
  `create table ws_grants (
     ${id},
     ${ofTeam},
     workspace_id text collate "C" references ws_workspaces (id) on delete cascade,
     project_id text collate "C" references ws_projects (id) on delete cascade,
     access text not null,
     runs smallint not null,
     variables smallint not null,
     state_versions smallint not null,
     locking boolean not null,
     run_tasks boolean not null,
     admin boolean not null,
     creates boolean not null default false,
     moves boolean not null default false,
     project_admin boolean not null default false,
     settings jsonb not null default '{}',
     ${created},
     unique (team_id, workspace_id),
     unique (team_id, project_id),
     check (num_nonnulls(workspace_id, project_id) = 1)
   )`,
  'create index ws_grants_workspace on ws_grants (workspace_id, team_id)',
  'create index ws_grants_project on ws_grants (project_id, team_id)',
  `create table ws_tags (
     ${id},
     ${ofOrganization},
     name text collate "C" not null,
     ${created},
     unique (organization_id, name)
   )`,
  `create table ws_workspace_tags (
     ${ofWorkspace},
     tag_id text collate "C" not null references ws_tags (id) on delete cascade,
     position bigint generated always as identity,
     primary key (workspace_id, tag_id)
   )`,
  'create index ws_workspace_tags_tag on ws_workspace_tags (tag_id, workspace_id)',
  `create table ws_tag_bindings (
     ${id},
     workspace_id text collate "C" references ws_workspaces (id) on delete cascade,
     project_id text collate "C" references ws_projects (id) on delete cascade,
     key text collate "C" not null,
     value text collate "C" not null,
     position bigint generated always as identity,
     ${created},
     unique (workspace_id, key),
     unique (project_id, key),
     check (num_nonnulls(workspace_id, project_id) = 1)
   )`,
  'create index ws_tag_bindings_key on ws_tag_bindings (key, value)',
  `create table ws_consumers (
     ${ofWorkspace},
     consumer_id text collate "C" not null references ws_workspaces (id) on delete cascade,
     primary key (workspace_id, consumer_id),
     check (workspace_id <> consumer_id)
   )`,
  'create index ws_consumers_consumer on ws_consumers (consumer_id)',
  // Applies to the states of one workspace, or of all workspaces of an organization that have no policy of their own.
  `create table ws_retention_policies (
     ${id},
     workspace_id text collate "C" unique references ws_workspaces (id) on delete cascade,
     organization_id text collate "C" unique references ws_organizations (id) on delete cascade,
     type text not null,
     days integer,
     check (num_nonnulls(workspace_id, organization_id) = 1)
   )`,
  // Which workspaces and projects may use a pool with limited scope, and which may not use an organization-wide pool.
  `create table ws_agent_pool_scopes (
     ${ofPool},
     kind text not null check (kind in ('allowed-workspaces', 'allowed-projects', 'excluded-workspaces')),
     workspace_id text collate "C" references ws_workspaces (id) on delete cascade,
     project_id text collate "C" references ws_projects (id) on delete cascade,
     unique (agent_pool_id, kind, workspace_id),
     unique (agent_pool_id, kind, project_id),
     check (num_nonnulls(workspace_id, project_id) = 1)
   )`,
  'create index ws_agent_pool_scopes_workspace on ws_agent_pool_scopes (workspace_id)',
  'create index ws_agent_pool_scopes_project on ws_agent_pool_scopes (project_id)',
  `create table ws_agent_tokens (
     ${id},
     ${ofPool},
     hash bytea not null unique,
     description text not null,
     created_by text collate "C",
     ${created},
     last_used_at timestamptz
   )`,
  'create index ws_agent_tokens_pool on ws_agent_tokens (agent_pool_id)',
  `create table ws_oauth_client_projects (
     client_id text collate "C" not null references ws_oauth_clients (id) on delete cascade,
     project_id text collate "C" not null references ws_projects (id) on delete cascade,
     primary key (client_id, project_id)
   )`,
  'create index ws_oauth_client_projects_project on ws_oauth_client_projects (project_id)',
];
