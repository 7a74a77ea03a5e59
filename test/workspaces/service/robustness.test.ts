import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { patience } from '../../support/measures/patience.ts';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const mediaType = 'application/vnd.api+json';

async function ask(method: string, path: string, headers: Record<string, string> = {}, body: string | null = null) {
  const answer = await fetch(`${ground.service.address}/api/v2${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${ground.service.rootToken}`, ...headers },
    signal: AbortSignal.timeout(patience.conditionMs),
  });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get('content-type'), text, headers: answer.headers };
}

describe('a media type', () => {
  test.each(['POST', 'PATCH', 'DELETE'])('that is wrong is 415, with and without a body, for %s', async (method) => {
    const path = method === 'POST' ? '/organizations' : '/organizations/none';
    for (const type of ['application/json', 'text/plain', 'application/vnd.api+jsonx', '']) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      for (const body of [null, '{"data":{}}']) {
        const { status, text } = await ask(method, path, headers, body);
        expect(status, `${type} ${body}`).toBe(415);
        expect(JSON.parse(text)).toEqual({
          errors: [{ status: '415', title: 'invalid content type', detail: `content-type must be ${mediaType}` }],
        });
      }
    }
  });

  test('may have parameters and any case', async () => {
    for (const type of [`${mediaType}; charset=utf-8`, 'Application/VND.api+JSON', `${mediaType};ext="x"`])
      expect((await ask('DELETE', '/organizations/none', { 'content-type': type })).status).toBe(404);
  });

  test('is the same whatever the client accepts', async () => {
    for (const accept of ['text/html', 'application/json;q=0', '*/*;q=0', ';;;']) {
      const { status, type } = await ask('GET', '/organizations/none', { accept });
      expect([status, type]).toEqual([404, mediaType]);
    }
  });
});

describe('a body', () => {
  const post = (body: string) => ask('POST', '/organizations', { 'content-type': mediaType }, body);

  test('that is too long is 413 with a document, before it has arrived completely', async () => {
    const answer = await post(`{"data":{"attributes":{"name":"${'x'.repeat(3 * 1024 * 1024)}"}}}`);
    expect([answer.status, answer.type]).toEqual([413, mediaType]);
    expect(JSON.parse(answer.text).errors[0]).toMatchObject({ status: '413', title: 'payload too large' });
  });

  test.each([
    ['not JSON', 'name=x'],
    ['truncated', '{"data":{"attr'],
    ['two', '{} {}'],
    ['a list', '[]'],
    ['a number', '7'],
    ['null', 'null'],
    ['a space', ' '],
    ['nothing', ''],
    ['no data', '{}'],
    ['a string as data', '{"data":"x"}'],
    ['a list as attributes', '{"data":{"attributes":[]}}'],
    ['10,000 levels', `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['unterminated nesting', '{"data":'.repeat(10_000)],
  ])('that is %s is a client error', async (_what, body) => {
    const answer = await post(body);
    expect([400, 422]).toContain(answer.status);
    expect(answer.type).toBe(mediaType);
  });
});

describe('an address', () => {
  test('may end in a slash, and HEAD works', async () => {
    const { name } = await ground.organization();
    const plain = await ask('GET', `/organizations/${name}`);
    expect((await ask('GET', `/organizations/${name}/`)).text).toBe(plain.text);
    const head = await ask('HEAD', `/organizations/${name}`);
    expect([head.status, head.type, head.text]).toEqual([200, mediaType, '']);
    expect((await ask('HEAD', '/organizations/none')).status).toBe(404);
  });

  test.each(['//organizations', '/organizations//', '/organizations/a/b/c/d/e', `/organizations/${'/x'.repeat(40)}`])(
    'that does not exist is 404 with a document: %s',
    async (path) => {
      const answer = await ask('GET', path);
      expect([answer.status, answer.type]).toEqual([404, mediaType]);
    },
  );

  test.each(['PUT', 'OPTIONS', 'LIST', 'QUERY', 'PROPFIND'])(
    'with the method %s is 404 with a document',
    async (method) => {
      const answer = await ask(method, '/organizations', { 'content-type': mediaType });
      expect([answer.status, answer.type]).toEqual([404, mediaType]);
    },
  );

  test.each(['%', '%zz', '%ff', '%ed%a0%80', '%00', 'a%2fb', 'x'.repeat(3_000)])(
    'with the name %s is 400 or 404 with a document',
    async (segment) => {
      for (const path of [`/organizations/${segment}`, `/projects/${segment}`, `/${segment}`]) {
        const answer = await ask('GET', path);
        expect([400, 404], path.slice(0, 40)).toContain(answer.status);
        expect(answer.type).toBe(mediaType);
      }
    },
  );

  test.each(['page[number]=0', 'page[number]=x', 'page[size]=-1', 'page[number]=99999999999', 'page[size]=1e3'])(
    'with the page %s is 400',
    async (query) => {
      expect((await ask('GET', `/organizations?${query}`)).status).toBe(400);
    },
  );
});

test('links to pages never contain an invalid Host header', async () => {
  await Promise.all([1, 2].map(() => ground.organization()));
  const { hostname, port } = new URL(ground.service.address);
  for (const host of ['keys.example:8200', 'a b', '[', 'x/../y?z', '%']) {
    const text = await raw(hostname, Number(port), [
      'GET /api/v2/organizations?page%5Bsize%5D=1 HTTP/1.1',
      ...[`Host: ${host}`, `Authorization: Bearer ${ground.service.rootToken}`, 'Connection: close', '', ''],
    ]);
    expect(text.split('\r\n', 1)[0], host).toMatch(/ (?:200|400) /);
  }
});

function raw(host: string, port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port }, () => socket.write(lines.join('\r\n')));
    let text = '';
    socket.setTimeout(patience.conditionMs, () => socket.destroy(new Error('no answer')));
    socket.on('data', (piece) => {
      text += piece.toString();
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

test('every time has the format that clients read', async () => {
  const made = await ground.call(
    'POST',
    '/organizations',
    documentOf('organizations', { name: 'timely', email: 'a@b.test' }),
  );
  expect(made.item.attributes['created-at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

describe('a process that is sealed', () => {
  const sealed = serviceOf([]);

  test('answers 503 with a document to every caller, and still serves discovery', async () => {
    await sealed.ask('POST', 'sys/seal');
    const at = (path: string, token = sealed.rootToken) =>
      fetch(`${sealed.address}${path}`, { headers: { authorization: `Bearer ${token}` } });
    for (const answer of [await at('/api/v2/organizations'), await at('/api/v2/account/details', 'x.keyferryv1.y')]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, mediaType]);
      expect(await answer.json()).toMatchObject({ errors: [{ status: '503', title: 'service unavailable' }] });
    }
    expect((await at('/api/v2/ping')).status).toBe(204);
  });
});
