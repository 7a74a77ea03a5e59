import { sql } from 'kysely';
import { documentOf, identifiers } from '#test/workspaces/support/documents.ts';
import type { Filling, World } from './world.ts';

const of = (type: string, id: string) => ({ type, id });

/** Organizations with their users, settings, variables and workspaces. */
export const workspaces: Filling = {
  tables: [
    'ws_organizations',
    'ws_users',
    'ws_memberships',
    'ws_teams',
    'ws_team_members',
    'ws_tokens',
    'ws_grants',
    'ws_projects',
    'ws_workspaces',
    'ws_auto_destroys',
    'ws_assessment_schedules',
    'ws_tags',
    'ws_workspace_tags',
    'ws_tag_bindings',
    'ws_reserved_tag_keys',
    'ws_consumers',
    'ws_retention_policies',
    'ws_agent_pools',
    'ws_agent_pool_scopes',
    'ws_agent_tokens',
    'ws_agents',
    'ws_ssh_keys',
    'ws_oauth_clients',
    'ws_oauth_tokens',
    'ws_oauth_client_projects',
    'ws_variables',
    'ws_variable_sets',
    'ws_variable_set_workspaces',
    'ws_variable_set_projects',
    'ws_run_triggers',
    'ws_organization_tasks',
    'ws_workspace_tasks',
    'ws_policies',
    'ws_policy_sets',
    'ws_policy_set_policies',
    'ws_policy_set_workspaces',
    'ws_policy_set_projects',
    'ws_policy_set_exclusions',
    'ws_notifications',
    'ws_audit_events',
    'ws_notification_users',
  ],
  async fill(world) {
    const { ground, kept } = world;
    const organization = await ground.organization();
    const at = `/organizations/${organization.name}`;
    const user = await ground.user(organization.id);
    const team = await ground.team(organization.id, { members: [user.id] });
    const project = await ground.project(organization.id);
    const [one, other] = [
      await ground.workspace(organization.id, project),
      await ground.workspace(organization.id, project),
    ];
    await ground.grant(team.id, { workspace: one.id }, 'admin');
    await ground.grant(team.id, { project }, 'read');
    for (const [name, value] of Object.entries({
      organization: organization.name,
      workspace: one.id,
      user: user.token,
    }))
      kept.set(name, value);
    const workspace = `/workspaces/${one.id}`;
    await sent(world, `${workspace}/relationships/tags`, { data: [{ type: 'tags', attributes: { name: 'prod' } }] });
    const binding = { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] };
    await sent(world, `${workspace}/tag-bindings`, binding, 'PATCH');
    await sent(world, `/projects/${project}/tag-bindings`, binding, 'PATCH');
    await sent(world, `${workspace}/relationships/remote-state-consumers`, identifiers('workspaces', other.id));
    const ephemeral = { 'auto-destroy-activity-duration': '14d', 'assessments-enabled': true };
    await sent(world, workspace, documentOf('workspaces', ephemeral), 'PATCH');
    const older = documentOf('data-retention-policy-delete-olders', { 'delete-older-than-n-days': 30 });
    await sent(world, `${workspace}/relationships/data-retention-policy`, older);
    await sent(world, `${at}/reserved-tag-keys`, documentOf('reserved-tag-keys', { key: 'cost' }));
    await agents(world, at, one.id);
    await sent(world, `${at}/ssh-keys`, documentOf('ssh-keys', { name: 'deploy', value: 'a private key' }));
    await oauth(world, at, project);
    await variables(world, at, one.id, project);
    const source = documentOf('run-triggers', {}, { sourceable: of('workspaces', other.id) });
    await sent(world, `${workspace}/run-triggers`, source);
    const hook = {
      name: 'n',
      'destination-type': 'generic',
      url: 'https://127.0.0.1:1/',
      triggers: ['run:created'],
    };
    const mail = documentOf(
      'notification-configurations',
      { name: 'm', 'destination-type': 'email' },
      { users: [of('users', user.id)] },
    );
    for (const one of [documentOf('notification-configurations', hook), mail])
      await sent(world, `${workspace}/notification-configurations`, one);
    // Without a verification: there is no receiver.
    await sql`
      update ws_notifications set settings = settings || '{"enabled": true}' where settings->>'destination-type' = 'generic'`.execute(
      ground.service.store.db,
    );
    await sql`
      insert into ws_organization_tasks (id, organization_id, name, url, origin)
      values ('task-kept', ${organization.id}, 'scan', 'https://127.0.0.1:1/', 'https://127.0.0.1:2')`.execute(
      ground.service.store.db,
    );
    const task = documentOf(
      'workspace-tasks',
      { 'enforcement-level': 'advisory', stages: ['post_apply'] },
      { task: of('tasks', 'task-kept') },
    );
    await sent(world, `${workspace}/tasks`, task);
    await policies(world, organization.id, { workspaceId: other.id, projectId: project });
  },
};

/** In the store, since there is no `opa`. */
async function policies(
  { ground }: World,
  organizationId: string,
  { workspaceId, projectId }: { readonly workspaceId: string; readonly projectId: string },
): Promise<void> {
  const { db } = ground.service.store;
  await sql`
    insert into ws_policies (id, organization_id, name, query, enforcement_level, source)
    values ('pol-kept', ${organizationId}, 'p', 'data.a.deny', 'advisory', 'package a')`.execute(db);
  await sql`
    insert into ws_policy_sets (id, organization_id, name) values ('polset-kept', ${organizationId}, 's')`.execute(db);
  await sql`insert into ws_policy_set_policies values ('polset-kept', 'pol-kept')`.execute(db);
  for (const table of ['ws_policy_set_workspaces', 'ws_policy_set_exclusions'])
    await sql`insert into ${sql.table(table)} values ('polset-kept', ${workspaceId})`.execute(db);
  await sql`insert into ws_policy_set_projects values ('polset-kept', ${projectId})`.execute(db);
}

/** Returns the id of the created resource. */
export async function sent({ ground }: World, path: string, body: object, method = 'POST'): Promise<string> {
  const answer = await ground.call(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.item.id;
}

async function agents(world: World, at: string, workspaceId: string): Promise<void> {
  const scope = { 'allowed-workspaces': [of('workspaces', workspaceId)] };
  const pool = await sent(
    world,
    `${at}/agent-pools`,
    documentOf('agent-pools', { name: 'p', 'organization-scoped': false }, scope),
  );
  const made = await world.ground.call(
    'POST',
    `/agent-pools/${pool}/authentication-tokens`,
    documentOf('authentication-tokens', { description: 'd' }),
  );
  const token = String(made.item.attributes['token']);
  world.kept.set('agents', token);
  const agent = await world.ground.call('POST', '/agents', documentOf('agents', { name: 'a', version: '1' }), token);
  world.kept.set('agent', agent.item.id);
  await sent(
    world,
    `/workspaces/${workspaceId}`,
    documentOf('workspaces', { 'execution-mode': 'agent', 'agent-pool-id': pool }),
    'PATCH',
  );
}

async function oauth(world: World, at: string, project: string): Promise<void> {
  const attributes = {
    name: 'host',
    'service-provider': 'github',
    'http-url': 'https://host.example',
    'api-url': 'https://api.host.example',
    'oauth-token-string': 'a token',
    'organization-scoped': false,
  };
  await sent(
    world,
    `${at}/oauth-clients`,
    documentOf('oauth-clients', attributes, { projects: [of('projects', project)] }),
  );
}

async function variables(world: World, at: string, workspaceId: string, project: string): Promise<void> {
  const variable = (key: string) => documentOf('vars', { key, value: `value of ${key}`, category: 'env' });
  await sent(world, `/workspaces/${workspaceId}/vars`, variable('OF_WORKSPACE'));
  const relationships = { workspaces: [of('workspaces', workspaceId)], projects: [of('projects', project)] };
  const set = await sent(world, `${at}/varsets`, documentOf('varsets', { name: 'common' }, relationships));
  await sent(world, `/varsets/${set}/relationships/vars`, variable('OF_SET'));
}
