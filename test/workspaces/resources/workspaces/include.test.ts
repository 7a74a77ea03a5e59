import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '#workspaces/frame/ids.ts';
import { lockedWorkspace, md5Of, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

test('requested resources are included once, and the relationships to them are shown', async () => {
  const organization = await ground.organization();
  const user = await ground.user(organization.id);
  const pool = newId('apool');
  const { db } = ground.service.store;
  await sql`insert into ws_agent_pools (id, organization_id, name) values (${pool}, ${organization.id}, 'p')`.execute(
    db,
  );
  const workspaces = [];
  for (let at = 0; at < 2; at += 1) workspaces.push(await ground.workspace(organization.id, organization.projectId));
  await sql`update ws_workspaces set lock_kind = 'users', lock_holder = ${user.id}, execution_mode = 'agent',
    agent_pool_id = ${pool} where organization_id = ${organization.id}`.execute(db);
  await sql`insert into ws_tag_bindings (id, project_id, key, value) values ('tb-i', ${organization.projectId}, 'k', 'v')`.execute(
    db,
  );
  const asked = 'organization,project,locked-by,agent_pool,effective_tag_bindings,readme';
  const listed = await ground.call('GET', `/organizations/${organization.name}/workspaces?include=${asked}`);
  const included = listed.body?.included ?? [];
  expect(included.map(({ type, id }) => [type, id]).toSorted()).toEqual([
    ['agent-pools', pool],
    ['effective-tag-bindings', 'tb-i'],
    ['organizations', organization.name],
    ['projects', organization.projectId],
    ['users', user.id],
  ]);
  for (const { relationships } of listed.items)
    expect(relationships).toMatchObject({
      'agent-pool': { data: { type: 'agent-pools', id: pool } },
      'effective-tag-bindings': { data: [{ type: 'effective-tag-bindings', id: 'tb-i' }] },
      'locked-by': { data: { type: 'users', id: user.id } },
      readme: { data: null },
    });
  const inherited = included.find(({ type }) => type === 'effective-tag-bindings');
  expect(inherited?.links).toEqual({ 'inherited-from': `/api/v2/projects/${organization.projectId}` });
  const shown = await ground.call('GET', `/workspaces/${workspaces[0]?.id}?include=`);
  expect([shown.status, shown.body?.included]).toEqual([200, undefined]);
});

test('resources included with a workspace never lead back to themselves, and keep the relationship to the organization', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  for (const asked of ['organization,project', 'project,organization']) {
    const { body } = await ground.call('GET', `/workspaces/${id}?include=${asked}`);
    const included = (type: string) => body?.included?.find((one) => one.type === type)?.relationships;
    expect(included('projects')).toHaveProperty('organization.data.id', organization.name);
    // Clients that resolve included resources would follow this loop until the stack overflows.
    expect(included('organizations')).not.toHaveProperty('default-project');
    expect(included('organizations')).toHaveProperty('entitlement-set.data');
  }
  const alone = await ground.call('GET', `/workspaces/${id}?include=organization`);
  expect(alone.body?.included?.[0]?.relationships).toHaveProperty('default-project.data.id', organization.projectId);
});

test('an included resource is the same document as at its own address', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const path = `/workspaces/${id}`;
  const attributes = { name: 'p' };
  const pool = await ground.call('POST', `/organizations/${organization.name}/agent-pools`, {
    data: { type: 'agent-pools', attributes },
  });
  const mode = { 'execution-mode': 'agent', 'agent-pool-id': pool.item.id };
  await ground.call('PATCH', path, { data: { type: 'workspaces', attributes: mode } });
  const user = await ground.user(organization.id);
  const owners = await ground.team(organization.id, { owners: true, members: [user.id] });
  const included = async (name: string, token?: string) =>
    (await ground.call('GET', `${path}?include=${name}`, undefined, token)).body?.included;
  const shown = async (address: string) => [(await ground.call('GET', address)).item];
  expect(await included('project')).toEqual(await shown(`/projects/${organization.projectId}`));
  expect(await included('organization')).toEqual(await shown(`/organizations/${organization.name}`));
  expect(await included('agent_pool')).toEqual(await shown(`/agent-pools/${pool.item.id}`));
  for (const [holder, address] of [
    [user, `/users/${user.id}`],
    [owners, `/teams/${owners.id}`],
  ] as const) {
    await ground.call('POST', `${path}/actions/lock`, {}, holder.token);
    expect(await included('locked_by')).toEqual(await shown(address));
    await ground.call('POST', `${path}/actions/force-unlock`);
  }
  for (const [owner, key] of [
    [path, 'own'],
    [`/projects/${organization.projectId}`, 'inherited'],
  ])
    await ground.call('PATCH', `${owner}/tag-bindings`, { data: [{ type: 'tag-bindings', attributes: { key } }] });
  const effective = await ground.call('GET', `${path}/effective-tag-bindings`);
  expect(effective.items).toHaveLength(2);
  expect(await included('effective_tag_bindings')).toEqual(effective.items);
});

test('a lock does not reveal a secret team', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const [holder, reader] = [await ground.team(organization.id), await ground.team(organization.id)];
  for (const [team, access] of [
    [holder, 'write'],
    [reader, 'read'],
  ] as const)
    await ground.grant(team.id, { workspace: id }, access);
  await ground.call('POST', `/workspaces/${id}/actions/lock`, {}, holder.token);
  const typesFor = async (token: string) => {
    const { body } = await ground.call('GET', `/workspaces/${id}?include=locked_by`, undefined, token);
    return body?.included?.map(({ type }) => type);
  };
  expect([await typesFor(holder.token), await typesFor(reader.token)]).toEqual([['teams'], []]);
});

test('the run that holds the lock is included as its holder', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const { db } = ground.service.store;
  await sql`insert into ws_runs (id, workspace_id, status) values ('run-holds', ${id}, 'planning')`.execute(db);
  await sql`update ws_workspaces set lock_kind = 'runs', lock_holder = 'run-holds' where id = ${id}`.execute(db);
  const { body } = await ground.call('GET', `/workspaces/${id}?include=locked_by`);
  expect(body?.included).toEqual([(await ground.call('GET', '/runs/run-holds')).item]);
});

test('the current run and the current state are included under each of their names', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const { db } = ground.service.store;
  await sql`insert into ws_runs (id, workspace_id, status) values ('run-i', ${id}, 'planned')`.execute(db);
  await sql`insert into ws_state_versions (id, workspace_id, serial, status) values ('sv-i', ${id}, 3, 'finalized')`.execute(
    db,
  );
  await sql`update ws_workspaces set current_run_id = 'run-i', current_state_version_id = 'sv-i' where id = ${id}`.execute(
    db,
  );
  const asked =
    'current_run,latest_run,current_run.plan,current-state-version,outputs,vars,current_configuration_version';
  const { body } = await ground.call('GET', `/workspaces/${id}?include=${asked}`);
  expect(body?.included).toMatchObject([
    { id: 'run-i', type: 'runs', attributes: { status: 'planned' } },
    { id: 'plan-i', type: 'plans', attributes: { status: 'pending' } },
    { id: 'sv-i', type: 'state-versions', attributes: { serial: 3, status: 'finalized' } },
  ]);
});

test('outputs and variables are included for callers that may read them, without sensitive values', async () => {
  const { id, path, organization, user } = await lockedWorkspace(ground);
  const text = stateText();
  await ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of(text), state: btoa(text) }), user.token);
  for (const [key, sensitive] of [
    ['open', false],
    ['closed', true],
  ] as const) {
    const attributes = { key, value: `value of ${key}`, category: 'env', sensitive };
    await ground.call('POST', `/workspaces/${id}/vars`, { data: { type: 'vars', attributes } }, user.token);
  }
  const listPath = `/organizations/${organization.name}/workspaces?include=outputs,vars`;
  const { items, body } = await ground.call('GET', listPath, undefined, user.token);
  const included = body?.included ?? [];
  expect(included.map(({ type, attributes }) => ({ type, ...attributes }))).toMatchObject([
    { type: 'workspace-outputs', name: 'plain', sensitive: false, 'output-type': 'string', value: 'shown' },
    { type: 'workspace-outputs', name: 'hidden', sensitive: true, 'output-type': 'string', value: null },
    { type: 'workspace-outputs', name: 'many', 'output-type': 'array', value: [1, 2.5, '12345678901234567890'] },
    { type: 'vars', key: 'open', value: 'value of open' },
    { type: 'vars', key: 'closed', value: null },
  ]);
  const linked = (name: string) => items[0]?.relationships[name]?.data;
  const idsOf = (type: string) => included.filter((one) => one.type === type).map((one) => ({ type, id: one.id }));
  expect(linked('outputs')).toEqual(idsOf('workspace-outputs'));
  expect(linked('vars')).toEqual(idsOf('vars'));

  const blind = await ground.user(organization.id);
  const team = await ground.team(organization.id, { members: [blind.id] });
  const access = {
    data: {
      type: 'team-workspaces',
      attributes: { access: 'custom', runs: 'read', variables: 'none', 'state-versions': 'none' },
      relationships: {
        team: { data: { type: 'teams', id: team.id } },
        workspace: { data: { type: 'workspaces', id } },
      },
    },
  };
  expect((await ground.call('POST', '/team-workspaces', access)).status).toBe(201);
  const seen = await ground.call('GET', listPath, undefined, blind.token);
  expect(seen.body?.included).toEqual([]);
  expect(seen.items[0]?.relationships).toMatchObject({ outputs: { data: [] }, vars: { data: [] } });
});

test('an unknown name is 400 with a text that clients look for', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  for (const path of [`/workspaces/${id}`, `/organizations/${organization.name}/workspaces`])
    for (const name of ['nothing', 'constructor', 'project,nothing']) {
      const answer = await ground.call('GET', `${path}?include=${name}`);
      expect([answer.status, answer.errors[0]?.title]).toEqual([400, 'Invalid include parameter']);
    }
});
