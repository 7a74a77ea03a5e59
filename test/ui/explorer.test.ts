import { describe, expect, test } from 'vitest';
import { formOf } from '#ui/pages/explorer/document/fields.ts';
import { curlLine, keyferryLine, withoutSecrets } from '#ui/pages/explorer/document/lines.ts';
import { mask, masked } from '#ui/pages/explorer/document/mask.ts';
import { requestOf } from '#ui/pages/explorer/document/request.ts';
import { matching, type Row, rowsIn } from '#ui/pages/explorer/document/rows.ts';

const operation = {
  summary: 'Write it',
  tags: ['secrets'],
  parameters: [{ name: 'path', in: 'path', required: true, schema: { type: 'string' } }],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['data'],
          properties: {
            data: { type: 'object', format: 'password', description: 'The secret' },
            ttl: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
            names: { type: 'array', items: { type: 'string' } },
            config: { type: 'object', properties: { a: { type: 'string' } } },
          },
        },
      },
    },
  },
};
const grant = {
  summary: 'Grant it',
  'x-service-needs': { workspace: 'admin' },
  requestBody: {
    content: {
      'application/vnd.api+json': {
        schema: {
          properties: {
            data: {
              type: 'object',
              properties: {
                type: { type: 'string', enum: ['team-workspaces'] },
                attributes: { properties: { access: { type: 'string', enum: ['read', 'plan'] } } },
                relationships: { properties: { team: {} } },
              },
            },
          },
        },
      },
    },
  },
};
const only = (rows: readonly Row[]): Row => {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows`);
  return row;
};
const secret = only(rowsIn({ paths: { '/kv/data/{path}': { post: operation } } }, 'v1'));
const access = only(rowsIn({ paths: { '/api/v2/team-workspaces': { post: grant } } }, 'v2'));

test('a row is found by words of its method, path and summary', () => {
  expect(matching([secret, access], 'POST write')).toEqual([secret]);
  expect(matching([secret, access], 'team grant')).toEqual([access]);
  expect(matching([secret, access], 'nothing')).toEqual([]);
});

describe('a request', () => {
  const groups = formOf(secret);

  test('has each typed field where it belongs', () => {
    const typed = {
      'path:path': 'a b/c',
      'body:data': 'x=1',
      'body:ttl': '1h',
      'body:names': 'p\nq',
      'body:config': '{"a":"1"}',
    };
    const { request, problems, isAddressed } = requestOf(secret, groups, typed);
    expect([problems, isAddressed]).toEqual([{}, true]);
    expect(request).toEqual({
      method: 'POST',
      path: 'v1/kv/data/a%20b/c',
      query: {},
      body: { data: { x: '1' }, ttl: '1h', names: ['p', 'q'], config: { a: '1' } },
    });
  });

  test('names what is missing, and a path that would be another one', () => {
    expect(Object.keys(requestOf(secret, groups, {}).problems)).toEqual(['path:path', 'body:data']);
    const dotted = requestOf(secret, groups, { 'path:path': 'a/../b', 'body:data': 'x=1' });
    expect([Object.keys(dotted.problems), dotted.isAddressed]).toEqual([['path:path'], false]);
  });

  test('of the workspace service is a document about a resource', () => {
    const typed = { 'attributes:access': 'plan', 'relationships:team': '{"data":{"type":"teams","id":"team-1"}}' };
    expect(requestOf(access, formOf(access), typed).request.body).toEqual({
      data: {
        type: 'team-workspaces',
        attributes: { access: 'plan' },
        relationships: { team: { data: { type: 'teams', id: 'team-1' } } },
      },
    });
  });
});

describe('the lines of a request', () => {
  const groups = formOf(secret);
  const lineOf = (path: string) =>
    requestOf(secret, groups, withoutSecrets(groups, { 'path:path': path, 'body:data': 'password=marker' })).request;

  test('have neither the token nor a sensitive field', () => {
    const request = lineOf('a');
    const curl = curlLine(request, 'https://keys.example', 'team');
    expect(curl).toBe(
      `curl -sS -X POST -H "X-Vault-Token: $VAULT_TOKEN" -H 'X-Vault-Namespace: team' -H 'Content-Type: application/json' -d '{"data":{"…":"…"}}' https://keys.example/v1/kv/data/a`,
    );
    expect(keyferryLine(request, '')).toBe(`keyferry api POST kv/data/a -d '{"data":{"…":"…"}}'`);
  });

  test('are quoted for the shell', () => {
    expect(keyferryLine({ method: 'GET', path: 'v1/kv/a', query: { q: `x'; rm -rf ~ #` } }, '')).toBe(
      'keyferry api GET kv/a?q=x%27%3B+rm+-rf+%7E+%23'.replace(/(kv.*)$/, "'$1'"),
    );
    const body = { a: `it's` };
    expect(curlLine({ method: 'POST', path: 'api/v2/x', body }, 'https://k', '')).toBe(
      `curl -sS -X POST -H "Authorization: Bearer $VAULT_TOKEN" -H 'Content-Type: application/vnd.api+json' -d '{"a":"it'\\''s"}' https://k/api/v2/x`,
    );
  });
});

describe('a reply', () => {
  test('of a secrets engine shows its keys and metadata, no values', () => {
    const reply = { request_id: 'r', data: { data: { a: 's', deep: { n: 1 } }, metadata: { version: 2 } } };
    const read = { ...secret, method: 'GET', parameters: [{ name: 'version', in: 'query' }] };
    expect(masked(reply, read, false)).toEqual({
      request_id: 'r',
      data: { data: { a: mask, deep: { n: mask } }, metadata: { version: 2 } },
    });
    expect(masked({ data: { keys: ['a', 'b/'] } }, read, true)).toEqual({ data: { keys: ['a', 'b/'] } });
  });

  test('of an engine without versions hides its values, whatever the keys are', () => {
    const read = { ...secret, method: 'GET', path: '/v1/kv/{path}' };
    expect(masked({ data: { keys: ['k'], metadata: { m: 'm' }, data: 'd' } }, read, false)).toEqual({
      data: { keys: [mask], metadata: { m: mask }, data: mask },
    });
    expect(masked({ data: { keys: ['a', 'b/'] } }, read, true)).toEqual({ data: { keys: ['a', 'b/'] } });
  });

  test('of any row hides what has the name of a secret', () => {
    const row = { ...secret, tag: 'auth', path: '/v1/auth/token/create' };
    const reply = { auth: { client_token: 't', token_type: 'service', accessor: 'a', policies: ['default'] } };
    expect(masked(reply, row, false)).toEqual({
      auth: { client_token: mask, token_type: 'service', accessor: 'a', policies: ['default'] },
    });
    expect(masked({ keys: ['share'], root_token: 'r' }, { ...row, path: '/v1/sys/init' }, false)).toEqual({
      keys: [mask],
      root_token: mask,
    });
  });
});
