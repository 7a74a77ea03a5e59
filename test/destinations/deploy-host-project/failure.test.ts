import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { Fault } from '#destinations/fake.ts';
import { listen } from '../../network/servers.ts';
import { failureOf, item, mark, never, open, start } from './setup.ts';

const secret = 'hunter2-very-secret';

test.each<readonly [Fault['kind'], string]>([
  ['throttle', 'throttled'],
  ['unavailable', 'unavailable'],
  ['denied', 'permission'],
  ['credentials', 'credentials'],
  ['reset', 'network'],
  ['hang', 'timeout'],
])('the fault %s is a failure of kind %s for put and remove, without value or token', async (kind, expected) => {
  const fake = await start();
  const driver = open(fake, {}, kind === 'hang' ? 1_000 : undefined);
  fake.fail({ kind, retryAfterSeconds: 3 });
  for (const work of [
    driver.put(item('DB', secret), never),
    driver.remove({ name: 'DB', mark, remoteVersion: null }, never),
  ]) {
    const failure = await failureOf(work);
    expect(failure.kind).toBe(expected);
    expect(failure.retryAfterMs).toBe(expected === 'throttled' ? 3000 : undefined);
    expect(String(failure.stack)).not.toMatch(/hunter2|stand-in-deploy-host-token/);
  }
});

test('a lost answer is a network failure, and the put is repeated without a conflict', async () => {
  const fake = await start();
  const driver = open(fake);
  fake.fail({ kind: 'lost-answer', times: 1 });
  expect((await failureOf(driver.put(item('DB', 'v'), never))).kind).toBe('network');
  expect(fake.objects().get('DB')?.value).toBe('v');
  await driver.put(item('DB', 'v'), never);
  expect(fake.variables()).toHaveLength(1);
});

test('an aborted call ends at once, although its listing is shared', async () => {
  const fake = await start();
  const driver = open(fake);
  fake.fail({ kind: 'hang' });
  const controller = new AbortController();
  const put = failureOf(driver.put(item('DB', 'v'), controller.signal));
  controller.abort();
  expect(await put).toMatchObject({ kind: 'timeout', message: expect.stringContaining('was aborted') });
});

test.each([
  [{ access_token: 'wrong' }, 'credentials'],
  [{ team_id: 'team_other' }, 'permission'],
  [{ project_id: 'prj_other' }, 'missing'],
])('the connection %j fails with kind %s', async (change, kind) => {
  const fake = await start();
  expect((await failureOf(open(fake, change).put(item('DB', 'v'), never))).kind).toBe(kind);
});

test('the network guard blocks the stand-in unless address and port are allowed', async () => {
  const fake = await start();
  for (const change of [{ allowed_ipv4_addresses: [] }, { allowed_ports: [] }]) {
    const failure = await failureOf(open(fake, change).put(item('DB', 'v'), never));
    expect(failure).toMatchObject({ kind: 'blocked', message: expect.stringContaining('opens it') });
  }
  expect(fake.calls().size).toBe(0);
});

test.each([
  [200, '<html>proxy</html>', 'unavailable'],
  [302, '', 'invalid'],
  [400, '{"error":{"code":"bad_request","message":"hunter2"}}', 'invalid'],
  [400, '{"error":{"code":"hunter2 hunter2"}}', 'invalid'],
  [402, '{"error":{"code":"payment_required"}}', 'invalid'],
  [403, '{"error":{"code":"ENV_ALREADY_EXISTS"}}', 'conflict'],
  [409, '{"error":{"code":"conflict"}}', 'unavailable'],
  [409, '{"error":{"code":"existing_key_and_target"}}', 'conflict'],
  [413, '', 'too-large'],
  [429, '{"error":{"code":"rate_limited","limit":{"reset":1}}}', 'throttled'],
  [500, '', 'unavailable'],
])('an answer %i %s is of kind %s and is not repeated', async (status, body, kind) => {
  const fake = await start();
  const port = await listen(createServer((_request, response) => response.writeHead(status).end(body)));
  const strange = { endpoint: `http://127.0.0.1:${port}/`, allowed_ports: [port] };
  const failure = await failureOf(open(fake, strange).put(item('DB', 'v'), never));
  expect(failure.kind).toBe(kind);
  expect(failure.message).not.toMatch(/hunter2|html/);
});
