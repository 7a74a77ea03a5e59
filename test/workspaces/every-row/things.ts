import { sql } from 'kysely';
import { newId } from '#workspaces/frame/ids.ts';
import type { WorkspaceGround } from '../support/ground.ts';

/** One resource of each kind that a path can name, all in one organization. */
export interface Things {
  /** The token of a member of the organization without a team. */
  readonly memberToken: string;
  /** The token of a user whose team may read the workspace and the project. */
  readonly readerToken: string;
  /** @throws Error for an unknown parameter */
  valueFor(path: string, parameter: string): string;
  /** A query that names the organization, the workspace and the project. */
  readonly query: string;
  /** A document of the given type with relationships to all of them. */
  document(type: string): object;
}

export async function thingsOf(ground: WorkspaceGround): Promise<Things> {
  const { id, name, projectId } = await ground.organization();
  const [member, reader, other] = [await ground.user(id), await ground.user(id), await ground.user(id)];
  const team = await ground.team(id, { members: [reader.id] });
  const [workspace, source] = [await ground.workspace(id, projectId), await ground.workspace(id, projectId)];
  await ground.grant(team.id, { workspace: workspace.id }, 'read');
  await ground.grant(team.id, { project: projectId }, 'read');
  const { db } = ground.service.store;
  const values: Record<string, string> = {
    organization_name: name,
    workspace_id: workspace.id,
    name: workspace.name,
    project_id: projectId,
    team_id: team.id,
    user_id: other.id,
  };
  /** Inserts a row into a table and uses its id for a parameter. */
  const add = async (parameter: string, prefix: string, table: string, columns: Readonly<Record<string, unknown>>) => {
    const made = { id: newId(prefix), ...columns };
    const names = sql.join(Object.keys(made).map((one) => sql.ref(one)));
    await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(made))})`.execute(db);
    values[parameter] = made.id;
    return made.id;
  };
  const [ofOrganization, ofWorkspace] = [{ organization_id: id }, { workspace_id: workspace.id }];
  const value = Buffer.from('sealed elsewhere');
  const run = await add('run_id', 'run', 'ws_runs', ofWorkspace);
  values['plan_id'] = run.replace('run-', 'plan-');
  values['apply_id'] = run.replace('run-', 'apply-');
  const event = await add('event_id', 're', 'ws_run_events', { run_id: run, action: 'created' });
  await add('comment_id', 'wsc', 'ws_run_comments', { run_id: run, event_id: event, body: 'b' });
  const hidden = { ...ofWorkspace, assessment: true, plan_only: true, status: 'planned_and_finished' };
  const assessed = await add('assessed_run', 'run', 'ws_runs', hidden);
  const result = { ...ofWorkspace, run_id: assessed, succeeded: true };
  await add('assessment_result_id', 'asmtres', 'ws_assessments', result);
  await add('configuration_version_id', 'cv', 'ws_configuration_versions', ofWorkspace);
  const version = await add('state_version_id', 'sv', 'ws_state_versions', {
    ...ofWorkspace,
    serial: 1,
    resources_processed: true,
  });
  await sql`update ws_workspaces set current_state_version_id = ${version} where id = ${workspace.id}`.execute(db);
  const output = newId('wsout');
  const sealedOutput = ground.service.store.barrier.seal('"v"', `ws_state_outputs/${output}`);
  await add('output_id', 'wsout', 'ws_state_outputs', {
    id: output,
    state_version_id: version,
    position: 1,
    name: 'o',
    sensitive: false,
    type: 'string',
    detailed_type: '"string"',
    value: sealedOutput,
  });
  await add('run_trigger_id', 'rt', 'ws_run_triggers', { ...ofWorkspace, source_id: source.id });
  const variable = newId('var');
  const sealedValue = ground.service.store.barrier.seal('v', `ws_variables/${variable}`);
  const settings = { key: 'k', value: sealedValue, category: 'env', version: 'v' };
  await add('variable_id', 'var', 'ws_variables', { id: variable, ...ofWorkspace, ...settings });
  const set = await add('varset_id', 'varset', 'ws_variable_sets', { ...ofOrganization, name: 's', global: true });
  const inSet = newId('var');
  const sealedInSet = ground.service.store.barrier.seal('v', `ws_variables/${inSet}`);
  await add('variable_of_set', 'var', 'ws_variables', {
    id: inSet,
    variable_set_id: set,
    ...settings,
    value: sealedInSet,
  });
  await add('ssh_key_id', 'sshkey', 'ws_ssh_keys', { ...ofOrganization, name: 'k', value });
  const pool = await add('agent_pool_id', 'apool', 'ws_agent_pools', { ...ofOrganization, name: 'p' });
  await add('agent_token', 'at', 'ws_agent_tokens', { agent_pool_id: pool, hash: Buffer.from(pool), description: 'd' });
  await add('agent_id', 'agent', 'ws_agents', { agent_pool_id: pool, name: 'a', version: '1' });
  values['job_id'] = values['plan_id'] ?? '';
  const address = { 'http-url': 'https://a.test', 'api-url': 'https://a.test' };
  const key = { key: null, 'rsa-public-key': null };
  const client = { name: 'c', 'service-provider': 'github', 'organization-scoped': true, ...address, ...key };
  const clientId = await add('oauth_client_id', 'oc', 'ws_oauth_clients', {
    ...ofOrganization,
    settings: JSON.stringify(client),
  });
  await add('oauth_token_id', 'ot', 'ws_oauth_tokens', { client_id: clientId });
  await add('reserved_tag_key_id', 'rtk', 'ws_reserved_tag_keys', { ...ofOrganization, key: 'k' });
  const task = await add('task_id', 'task', 'ws_organization_tasks', {
    ...ofOrganization,
    ...{ name: 'k', url: 'https://a.test', origin: 'https://b.test' },
  });
  const level = { enforcement_level: 'advisory' };
  const added = await add('workspace_task_id', 'wstask', 'ws_workspace_tasks', {
    ...ofWorkspace,
    ...level,
    task_id: task,
    stages: ['post_plan'],
  });
  const stage = await add('task_stage_id', 'ts', 'ws_task_stages', { run_id: run, stage: 'post_plan' });
  await add('task_result_id', 'taskrs', 'ws_task_results', {
    ...ofOrganization,
    ...level,
    ...{ stage_id: stage, task_id: task, workspace_task_id: added, task_name: 'k', task_url: 'https://a.test' },
  });
  const policy = { ...ofOrganization, name: 'p', query: 'data.a.deny', ...level, source: 'package a' };
  await add('policy_id', 'pol', 'ws_policies', policy);
  await add('policy_set_id', 'polset', 'ws_policy_sets', { ...ofOrganization, name: 's' });
  const evaluation = await add('policy_evaluation_id', 'poleval', 'ws_policy_evaluations', {
    ...ofOrganization,
    stage_id: stage,
  });
  await add('policy_set_outcome_id', 'psout', 'ws_policy_outcomes', {
    ...{ evaluation_id: evaluation, position: 0, policy_set_name: 's', overridable: false },
    ...{ outcomes: '[]', counts: '{}' },
  });
  await add('tag_id', 'tag', 'ws_tags', { ...ofOrganization, name: 't' });
  const message = { name: 'n', 'destination-type': 'generic', enabled: false, url: 'https://a.test', triggers: [] };
  await add('notification_id', 'nc', 'ws_notifications', {
    ...ofOrganization,
    ...ofWorkspace,
    settings: JSON.stringify(message),
  });
  const idOf = async (query: ReturnType<typeof sql<{ id: string }>>) => (await query.execute(db)).rows[0]?.id ?? '';
  values['membership_id'] = await idOf(sql`select id from ws_memberships where user_id = ${other.id}`);
  values['token_id'] = await idOf(sql`select id from ws_tokens where user_id = ${other.id}`);
  const onWorkspace = await idOf(sql`select id from ws_grants where workspace_id = ${workspace.id}`);
  const onProject = await idOf(sql`select id from ws_grants where project_id = ${projectId}`);
  return {
    memberToken: member.token,
    readerToken: reader.token,
    query: `?${new URLSearchParams({
      'filter[organization][name]': name,
      'filter[workspace][name]': workspace.name,
      'filter[workspace][id]': workspace.id,
      'filter[project][id]': projectId,
      'filter[run-trigger][type]': 'inbound',
    })}`,
    document: (type) => ({
      data: {
        type,
        attributes: { access: 'read' },
        relationships: {
          workspace: { data: { id: workspace.id, type: 'workspaces' } },
          project: { data: { id: projectId, type: 'projects' } },
          team: { data: { id: team.id, type: 'teams' } },
        },
      },
    }),
    valueFor(path, parameter) {
      if (parameter === 'grant_id') return path.includes('team-projects') ? onProject : onWorkspace;
      if (parameter === 'token_id' && path.includes('agent-pools')) return values['agent_token'] ?? '';
      if (parameter === 'variable_id' && path.includes('varsets')) return values['variable_of_set'] ?? '';
      const found = values[parameter];
      if (found === undefined) throw new Error(`no value for the parameter ${parameter}`);
      return found;
    },
  };
}
