import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../../../lib/workspaces/frame/ids.ts';
import { insertOutputs } from '../../../../lib/workspaces/states/state-versions/outputs.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

test('what is asked for is included, once, beside the relationship that leads to it', async () => {
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

test('the current run and the current state come with a workspace that has them, whichever way they are named', async () => {
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
    { id: 'sv-i', type: 'state-versions', attributes: { serial: 3, status: 'finalized' } },
  ]);
});

test('outputs and variables are included for those who may read them', async () => {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const { store } = ground.service;
  const version = newId('sv');
  await store.transaction(async (tx) => {
    await sql`insert into ws_state_versions (id, workspace_id, serial, status) values (${version}, ${id}, 1, 'finalized')`.execute(
      tx,
    );
    await insertOutputs(tx, store, version, [
      { name: 'plain', sensitive: false, type: 'string', value: 'shown' },
      { name: 'hidden', sensitive: true, type: ['list', 'string'], value: ['marker-output'] },
    ]);
    await sql`update ws_workspaces set current_state_version_id = ${version} where id = ${id}`.execute(tx);
  });
  const variable = { key: 'k', value: 'marker-variable', category: 'env', sensitive: true };
  const made = await ground.call('POST', `/workspaces/${id}/vars`, documentOf('vars', variable));
  const path = `/workspaces/${id}?include=outputs,vars`;
  const shown = await ground.call('GET', path);
  const listed = await ground.call('GET', `/organizations/${organization.name}/workspaces?include=outputs,vars`);
  expect([listed.items, listed.body?.included]).toEqual([[shown.item], shown.body?.included]);
  const [plain, hidden, ...rest] = shown.body?.included ?? [];
  expect([plain, hidden]).toEqual([
    {
      ...{ id: expect.stringMatching(/^wsout-/), type: 'workspace-outputs' },
      attributes: { name: 'plain', sensitive: false, 'output-type': 'string', value: 'shown' },
    },
    {
      ...{ id: expect.stringMatching(/^wsout-/), type: 'workspace-outputs' },
      attributes: { name: 'hidden', sensitive: true, 'output-type': 'array', value: null },
    },
  ]);
  expect(rest).toEqual([made.item]);
  expect(shown.item.relationships).toMatchObject({
    outputs: { data: [{ id: plain?.id }, { id: hidden?.id }] },
    vars: { data: [{ type: 'vars', id: made.item.id }] },
  });
  expect(shown.text + listed.text).not.toContain('marker');
  const team = await ground.team(organization.id);
  await ground.grant(team.id, { workspace: id }, 'read');
  expect((await ground.call('GET', path, undefined, team.token)).body?.included).toHaveLength(3);
  await sql`update ws_grants set state_versions = 0, variables = 0 where team_id = ${team.id}`.execute(store.db);
  const kept = await ground.call('GET', path, undefined, team.token);
  expect([kept.status, kept.body?.included]).toEqual([200, []]);
  expect(kept.item.relationships).toMatchObject({ outputs: { data: [] }, vars: { data: [] } });
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
