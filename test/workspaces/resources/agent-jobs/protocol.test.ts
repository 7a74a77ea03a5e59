import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { archive } from '../runs/runs-of.ts';
import { jobOf, poolOf } from './pool-of.ts';

const ground = workspaceGround();

test('an agent registers, is listed with its status, and leaves', async () => {
  const { pool, register, take, token } = await poolOf(ground);
  const id = await register();
  const list = async () => (await ground.call('GET', `/agent-pools/${pool.id}/agents`)).items;
  expect(await list()).toMatchObject([
    { id, type: 'agents', attributes: { name: 'one', status: 'idle', 'ip-address': '127.0.0.1' } },
  ]);
  expect((await ground.call('GET', `/agents/${id}`)).item).toEqual((await list())[0]);
  expect((await ground.call('GET', `/agent-pools/${pool.id}`)).item.attributes['agent-count']).toBe(1);
  expect((await take(id)).status).toBe(204);
  expect((await ground.call('DELETE', `/agents/${id}`)).status).toBe(422);
  expect((await ground.call('POST', `/agents/${id}/actions/exit`, undefined, token)).status).toBe(204);
  expect((await list())[0]?.attributes['status']).toBe('exited');
  expect((await ground.call('DELETE', `/agents/${id}`)).status).toBe(204);
  expect((await take(id)).status).toBe(404);
});

test('an agent plans and applies a run: log, plan and state go through the token of the run', async () => {
  const { configuration, run, status, register, take, workspace, writer, row, admin } = await poolOf(ground);
  await configuration();
  await ground.call(
    'POST',
    `/workspaces/${workspace.id}/vars`,
    documentOf('vars', { key: 'password', value: 'marker-var', category: 'terraform', sensitive: true }),
  );
  const made = await run({ 'auto-apply': true, 'target-addrs': ['a.b'], variables: [{ key: 'k', value: '"v"' }] });
  const agent = await register();
  const plan = jobOf(ground, await take(agent));
  expect([plan.part, plan.runId, await status(plan.runId)]).toEqual(['plan', made.item.id, 'planning']);
  expect((await plan.read()).item.attributes).toMatchObject({
    part: 'plan',
    'target-addrs': ['a.b'],
    'state-download-url': null,
    'engine-version': '1.11.4',
    variables: [{ key: 'password', value: 'marker-var', sensitive: true, hcl: false }],
    'run-variables': [{ key: 'k', value: '"v"' }],
    'cancel-requested': false,
  });
  expect((await plan.file('configuration')).bytes).toEqual(archive);
  expect((await plan.extend()).item.attributes).toMatchObject({ 'cancel-requested': false });
  expect((await plan.bytes('plan-file', 'the plan')).status).toBe(200);
  expect((await plan.bytes('plan-json', '{"format_version":"1.2"}')).status).toBe(200);
  expect((await plan.finish({ status: 'finished', 'has-changes': true, 'resource-additions': 1 })).status).toBe(204);
  expect(await status(plan.runId)).toBe('apply_queued');
  expect((await plan.read()).status).toBe(401);
  const json = (token: string) => ground.call('GET', `/plans/${plan.id}/json-output`, undefined, token);
  expect([(await json(admin.token)).text, (await json(writer.token)).status]).toEqual([
    '{"format_version":"1.2"}',
    404,
  ]);

  const apply = jobOf(ground, await take(agent));
  expect([apply.part, apply.runId]).toEqual(['apply', plan.runId]);
  expect((await apply.file('plan-file')).bytes.toString()).toBe('the plan');
  const text = stateText();
  const states = `/workspaces/${workspace.id}/state-versions`;
  const created = await ground.call(
    'POST',
    states,
    stateVersion({ serial: 1, md5: md5Of(text) }, apply.runId),
    apply.token,
  );
  expect(created.status).toBe(201);
  expect(created.item.relationships['created-by']).toMatchObject({ data: { id: writer.id } });
  expect((await put(created.item.attributes['hosted-state-upload-url'], text)).status).toBe(200);
  expect((await apply.finish({ status: 'finished', 'resource-additions': 1 })).status).toBe(204);
  expect(await status(apply.runId)).toBe('applied');
  expect(await row()).toMatchObject({ lock_kind: null });
  const current = await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`);
  expect(current.item.id).toBe(created.item.id);
  expect((await take(agent)).status).toBe(204);
});

test('a log is appended at its offset, repeats are harmless, and readers get it between its marks', async () => {
  const { configuration, run, register, take } = await poolOf(ground);
  await configuration();
  await run();
  const job = jobOf(ground, await take(await register()));
  const shown = await ground.call('GET', `/runs/${job.runId}/plan`);
  const read = async (query = 'offset=0&limit=1000') =>
    (await fetch(`${shown.item.attributes['log-read-url']}?${query}`)).text();
  expect(await read()).toBe('\u0002');
  const sizeOf = async (reply: Response) => [reply.status, Object(await reply.json()).data?.attributes?.['log-bytes']];
  expect(await sizeOf(await job.log(1, 'one '))).toEqual([200, 5]);
  expect(await sizeOf(await job.log(1, 'one '))).toEqual([200, 5]);
  expect(await sizeOf(await job.log(3, 'e two'))).toEqual([200, 8]);
  expect((await job.log(20, 'far')).status).toBe(409);
  expect((await job.log(8, 'x'.repeat(1_048_577))).status).toBe(413);
  const long = 'y'.repeat(700_000);
  expect(await sizeOf(await job.log(8, long))).toEqual([200, 700_008]);
  expect(await sizeOf(await job.log(700_008, 'end'))).toEqual([200, 700_011]);
  await job.finish({ status: 'finished', 'has-changes': false });
  expect(await read('offset=0&limit=12')).toBe('\u0002one twoyyyy');
  expect(await read('offset=262100&limit=100')).toBe('y'.repeat(100));
  expect(await read('offset=700005&limit=100')).toBe('yyyend\u0003');
});

test('an agent waits for work, and gets it when a run comes', async () => {
  const { configuration, run, register, take } = await poolOf(ground);
  await configuration();
  const agents = [await register(), await register()];
  const waiting = Promise.all(agents.map((agent) => take(agent, 5)));
  const { id } = (await run()).item;
  const answers = await waiting;
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 204]);
  expect(answers.find(({ status }) => status === 200)?.item.attributes['run-id']).toBe(id);
});

test('of many agents in one moment one gets each run', async () => {
  const stage = await poolOf(ground);
  await stage.configuration();
  const runs = await Promise.all(Array.from({ length: 4 }, () => stage.run({ 'plan-only': true })));
  const agents = await Promise.all(Array.from({ length: 8 }, () => stage.register()));
  const answers = await Promise.all(agents.map((agent) => stage.take(agent)));
  const taken = answers.filter(({ status }) => status === 200).map(({ item }) => String(item.attributes['run-id']));
  expect(taken.toSorted()).toEqual(runs.map(({ item }) => item.id).toSorted());
});

test('a pool works for the workspaces that name it, and for remote ones if it is the default of their organization', async () => {
  const { configuration, run, register, take, workspace, organization, pool } = await poolOf(ground);
  await configuration();
  await run();
  const agent = await register();
  const set = (query: ReturnType<typeof sql>) => query.execute(ground.service.store.db);
  await set(sql`update ws_workspaces set execution_mode = 'remote', agent_pool_id = null where id = ${workspace.id}`);
  expect((await take(agent)).status).toBe(204);
  await set(sql`
    update ws_organizations set default_execution_mode = 'agent', default_agent_pool_id = ${pool.id}
     where id = ${organization.id}`);
  await set(sql`
    insert into ws_agent_pool_scopes (agent_pool_id, kind, workspace_id)
    values (${pool.id}, 'excluded-workspaces', ${workspace.id})`);
  expect((await take(agent)).status).toBe(204);
  await set(sql`delete from ws_agent_pool_scopes where agent_pool_id = ${pool.id}`);
  expect((await take(agent)).status).toBe(200);
});
