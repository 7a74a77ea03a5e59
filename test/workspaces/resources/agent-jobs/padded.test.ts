import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { fileDevice, linesOf, removeDevices } from '#test/flow/audit/log.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { openPadding } from './padded.ts';
import { poolOf } from './pool-of.ts';

// Requests for work that are sent white space while they wait.
const ground = workspaceGround();

const noJob = JSON.stringify({ data: null });

test('a run that is queued after white space is delivered once', async () => {
  const { register, token, configuration, run, status } = await poolOf(ground);
  const { wait } = await openPadding(ground);
  const waiting = await wait(await register(), token);
  expect([waiting.status, waiting.headers.get('content-type')]).toEqual([200, 'application/vnd.api+json']);
  expect(waiting.headers.get('x-accel-buffering')).toBe('no');
  await waiting.spaces(2);
  await configuration();
  const { id } = (await run({ 'plan-only': true })).item;
  expect(JSON.parse(await waiting.rest())).toMatchObject({
    data: { type: 'agent-jobs', attributes: { 'run-id': id, part: 'plan', token: expect.any(String) } },
  });
  expect(await status(id)).toBe('planning');
  const { rows } = await sql`select epoch from ws_run_jobs where run_id = ${id}`.execute(ground.service.store.db);
  expect(rows).toEqual([{ epoch: 1 }]);
});

test('an agent that leaves takes no run: the next one gets it', async () => {
  const { register, take, token, configuration, run } = await poolOf(ground);
  const { api, wait } = await openPadding(ground);
  await configuration();
  const waiting = await wait(await register(), token);
  await waiting.spaces(2);
  waiting.leave();
  // The process has noticed it when none of its requests is in progress.
  await eventually(async () => !(await inFlight(api)).includes('/actions/take'));
  const { id } = (await run({ 'plan-only': true })).item;
  const other = await wait(await register(), token);
  expect(JSON.parse(await other.rest())).toMatchObject({ data: { attributes: { 'run-id': id } } });
  expect((await take(await register())).status).toBe(204);
});

/** The requests in progress in a process. */
async function inFlight(api: Awaited<ReturnType<typeof openPadding>>['api']): Promise<string> {
  const headers = { 'x-service-token': ground.service.rootToken };
  return (await api.inject({ url: '/v1/sys/in-flight-req', headers })).body;
}

test('an agent has one such wait: a later request of it ends the earlier one', async () => {
  const { register, token } = await poolOf(ground);
  const { wait } = await openPadding(ground);
  const agent = await register();
  const first = await wait(agent, token);
  const second = await wait(agent, token);
  expect(await first.rest()).toBe(noJob);
  await second.spaces(2);
  expect((await wait(agent, token, { padded: false, 'wait-seconds': 0 })).status).toBe(204);
  expect(await second.rest()).toBe(noJob);
});

test('a wait ends in its time, with the process, and for a token that was deleted', async () => {
  const { register, token, pool, configuration, run } = await poolOf(ground);
  const { api, wait } = await openPadding(ground);
  expect(await (await wait(await register(), token, { 'wait-seconds': 1 })).rest()).toBe(noJob);
  await configuration();
  const unable = await wait(await register(), token);
  await unable.spaces(1);
  await sql`delete from ws_agent_tokens where agent_pool_id = ${pool.id}`.execute(ground.service.store.db);
  await run({ 'plan-only': true });
  expect(JSON.parse(await unable.rest())).toMatchObject({ errors: [{ status: '404' }] });
  const stage = await poolOf(ground);
  const last = await wait(await stage.register(), stage.token);
  await last.spaces(1);
  await Promise.all([api.close(), expect(last.rest()).resolves.toBe(noJob)]);
});

test('a reply that cannot be sent piece by piece is sent whole, and so are those to agents that do not ask for white space', async () => {
  const { register, token } = await poolOf(ground);
  const { api, wait } = await openPadding(ground);
  const asked = async (attributes: object) => {
    const reply = await api.inject({
      method: 'POST',
      url: `/api/v2/agents/${await register()}/actions/take`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      payload: JSON.stringify(documentOf('agents', attributes)),
    });
    return [reply.statusCode, reply.body];
  };
  expect(await asked({ padded: true, 'wait-seconds': 1 })).toEqual([204, '']);
  const plain = await wait(await register(), token, { padded: false, 'wait-seconds': 1 });
  expect([plain.status, await plain.rest()]).toEqual([204, '']);
});

test('audit devices record the job before it is delivered, and the token as HMAC', async () => {
  const { register, token, configuration, run } = await poolOf(ground);
  const { file } = await fileDevice(ground.service);
  try {
    const { wait } = await openPadding(ground);
    await configuration();
    const waiting = await wait(await register(), token);
    await waiting.spaces(1);
    const lines = async () =>
      (await linesOf(file)).filter(({ request }) => String(request['path']).endsWith('/actions/take'));
    expect((await lines()).map(({ type }) => type)).toEqual(['request']);
    await run({ 'plan-only': true });
    const { attributes } = JSON.parse(await waiting.rest()).data;
    const [, response] = await lines();
    const hmac = expect.stringMatching(/^hmac-sha256:/);
    expect(response).toMatchObject({ type: 'response', response: { data: { data: { attributes: { token: hmac } } } } });
    expect(JSON.stringify(await lines())).not.toContain(attributes.token);
  } finally {
    await removeDevices(ground.service);
  }
});
