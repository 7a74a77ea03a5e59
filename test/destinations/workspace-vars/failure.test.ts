import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../network/servers.ts';
import { failureOf, item, mark, never, open, operations, start, targets } from './setup.ts';

test.each([
  [{ token: 'wrong' }, 'credentials', 'set another token'],
  [{ workspace_id: 'ws-other' }, 'missing', 'workspace ws-other'],
  [{ workspace_id: '', organization_name: 'acme', workspace_name: 'gone' }, 'missing', 'workspace acme/gone'],
  [{ workspace_id: '', variable_set_id: 'varset-other' }, 'missing', 'variable set varset-other'],
])('the connection %j fails with kind %s', async (change, kind, words) => {
  const fake = await start();
  const driver = open(fake, change);
  for (const work of [
    driver.put(item('DB', 'v'), never),
    driver.remove({ name: 'DB', mark, remoteVersion: null }, never),
    driver.inspect('DB', never),
  ]) {
    expect(await failureOf(work)).toMatchObject({ kind, message: expect.stringContaining(words) });
  }
});

// The host answers 404 both for a missing variable and for a missing permission.
test.each(Object.entries(targets))(
  'with a read-only token for %s, a variable is not taken for removed',
  async (_target, fieldsOf) => {
    const fake = await start();
    const fields = fieldsOf(fake);
    const { remoteVersion } = await open(fake, fields).put(item('DB', 'v1'), never);
    const reader = open(fake, { ...fields, token: fake.readerToken });
    for (const asRecorded of [true, false]) {
      const update = item('DB', 'v2', { mode: 'update', remoteVersion, asRecorded });
      expect(await failureOf(reader.put(update, never))).toMatchObject({ kind: 'permission', untouched: true });
      const removal = { name: 'DB', mark, remoteVersion, asRecorded };
      expect(await failureOf(reader.remove(removal, never))).toMatchObject({ kind: 'permission' });
    }
    expect(await failureOf(reader.put(item('NEW', 'v'), never))).toMatchObject({
      kind: 'missing',
      message: expect.stringContaining('the token may not see it'),
    });
    expect(fake.variables()).toMatchObject([{ key: 'DB', value: 'v1' }]);
  },
);

const error = (title: string, detail: string, pointer = '') =>
  JSON.stringify({ errors: [{ status: '422', title, detail, source: { pointer } }] });

test.each([
  [200, '<html>proxy</html>', 'unavailable'],
  [201, '{"data":{"id":"ws-1","type":"workspaces","attributes":{}}}', 'unavailable'],
  [302, '', 'invalid'],
  [400, '{"errors":["Value hunter2 is odd"]}', 'invalid'],
  [403, '{"errors":[{"title":"forbidden"}]}', 'permission'],
  [413, '', 'too-large'],
  [415, error('invalid content type', ''), 'invalid'],
  [422, error('invalid attribute', 'Key is invalid', '/data/attributes/key'), 'name'],
  [422, error('invalid attribute', 'Value is too long (maximum is 256 KB)', '/data/attributes/value'), 'too-large'],
  [422, error('invalid attribute', 'Description is too long', '/data/attributes/description'), 'invalid'],
  [422, error('unprocessable entity', 'The maximum number of variables is reached'), 'quota'],
  [429, '', 'throttled'],
  [500, '', 'unavailable'],
])('an answer %i %s is of kind %s and is not repeated', async (status, body, kind) => {
  const asked: string[] = [];
  const { failure } = await failureAt((response, method) => {
    asked.push(method);
    response.writeHead(status).end(body);
  });
  expect(failure.kind).toBe(kind);
  expect(failure.message).not.toMatch(/hunter2|html/);
  expect(asked).toEqual(['POST']);
});

test.each([409, 422])('a taken name (%i) that is not listed is a conflict after a few looks', async (status) => {
  const asked: string[] = [];
  const { failure } = await failureAt((response, method) => {
    asked.push(method);
    if (method === 'GET') response.writeHead(200).end('{"data":[]}');
    else
      response.writeHead(status).end(error('invalid attribute', 'Key has already been taken', '/data/attributes/key'));
  });
  expect(failure).toMatchObject({ kind: 'conflict', untouched: true });
  expect(asked).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST']);
});

test.each([
  [{ 'x-ratelimit-reset': '0.35' }, 350],
  [{ 'x-ratelimit-reset': '0.35', 'retry-after': '2' }, 2_000],
  [{ 'x-ratelimit-reset': 'soon' }, undefined],
  [{}, undefined],
])('a used-up rate limit with %j is waited for %s ms', async (headers, retryAfterMs) => {
  const { failure } = await failureAt((response) => response.writeHead(429, { ...headers }).end());
  expect(failure).toMatchObject({ kind: 'throttled', retryAfterMs });
});

test('a removal whose answer may come from another server is checked by a look', async () => {
  const fake = await start();
  const { remoteVersion } = await open(fake).put(item('DB', 'v'), never);
  const id = remoteVersion?.split(':')[0];
  const attributes = { key: 'DB', category: 'env' };
  const left = [[{ id, type: 'vars', attributes }], []];
  for (const [index, data] of left.entries()) {
    const port = await portOf((response, method) => {
      if (method === 'GET') response.writeHead(200).end(JSON.stringify({ data }));
      else response.writeHead(204).end();
    });
    const driver = open(fake, { endpoint: `http://127.0.0.1:${port}`, allowed_ports: [port] });
    const removal = driver.remove({ name: 'DB', mark, remoteVersion, asRecorded: true }, never);
    if (index === 0) expect(await failureOf(removal)).toMatchObject({ kind: 'unavailable' });
    else await removal;
  }
  expect(operations(fake)).toMatchObject({ 'Variables.Create': 1 });
});

test('other successful statuses of writes are accepted', async () => {
  const fake = await start();
  const data = { id: 'var-1', type: 'vars', attributes: { key: 'DB', category: 'env', 'version-id': 'v' } };
  const port = await portOf((response, method) => {
    const status = { POST: 200, PATCH: 201 }[method] ?? 200;
    response.writeHead(status).end(JSON.stringify(method === 'GET' ? { data: [] } : { data }));
  });
  const driver = open(fake, { endpoint: `http://127.0.0.1:${port}`, allowed_ports: [port] });
  const made = await driver.put(item('DB', 'v', { asRecorded: true }), never);
  expect(made).toEqual({ remoteVersion: 'var-1:v' });
  const update = item('DB', 'w', { mode: 'update', asRecorded: true, ...made });
  expect(await driver.put(update, never)).toEqual(made);
  await driver.remove({ name: 'DB', mark, asRecorded: true, ...made }, never);
});

type Answer = (response: ServerResponse, method: string) => unknown;

const portOf = (answer: Answer): Promise<number> =>
  listen(createServer((request, response) => void answer(response, request.method ?? '')));

/** The failure of a first push at a host that answers in this way. */
async function failureAt(answer: Answer) {
  const fake = await start();
  const port = await portOf(answer);
  const strange = { endpoint: `http://127.0.0.1:${port}/`, allowed_ports: [port] };
  return { failure: await failureOf(open(fake, strange).put(item('DB', 'v', { asRecorded: true }), never)) };
}
