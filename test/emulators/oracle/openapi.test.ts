import { expect, test } from 'vitest';
import type { Exchange } from './exchange.ts';
import { judgeBy } from './openapi.ts';

const root = new URL('../../..', import.meta.url).pathname;

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const oracle = judgeBy(root, {
  paths: {
    '/things/{name}': {
      put: {
        operationId: 'put-thing',
        parameters: [
          { $ref: '#/components/parameters/name' },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
        ],
        requestBody: { required: true, ...json({ $ref: '#/components/schemas/thing' }) },
        responses: { 201: { description: 'made', ...json({ $ref: '#/components/schemas/thing' }) }, 204: {} },
      },
    },
    '/things/public-key': { put: { operationId: 'put-key', responses: { 204: {} } } },
  },
  components: {
    parameters: { name: { name: 'name', in: 'path', required: true, schema: { type: 'string', maxLength: 8 } } },
    schemas: {
      thing: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      'basic-error': { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    },
  },
});

function judge(path: string, request: string, answer?: Exchange['answer'], method = 'PUT') {
  return oracle.judge({ method, url: new URL(path, 'http://stand-in'), headers: {}, request, answer });
}

test('a described exchange has no differences', () => {
  const answer = { status: 201, body: '{"id":"1"}' };
  expect(judge('/things/one?page=2', '{"id":"1"}', answer)).toEqual({ operation: 'put-thing', differences: [] });
  expect(judge('/api/v3/things/one', '{"id":"1"}', { status: 204, body: '' }).differences).toEqual([]);
});

test('a path with fewer parameters takes precedence', () => {
  expect(judge('/things/public-key', '').operation).toBe('put-key');
});

test.each([
  ['a path', '/thing/one', '{"id":"1"}', 'PUT /thing/one is not described'],
  ['a query parameter', '/things/one?size=2', '{"id":"1"}', 'query parameter size is not described'],
  ['the form of a query parameter', '/things/one?page=two', '{"id":"1"}', 'query parameter page: it must be integer'],
  [
    'the length of a name',
    '/things/much-too-long',
    '{"id":"1"}',
    'path parameter name: it must NOT have more than 8 characters',
  ],
  ['a missing body', '/things/one', '', 'request body: it is missing'],
  ['the form of a body', '/things/one', '{"id":1}', 'request body: /id must be string'],
  ['a member of a body', '/things/one', '{"id":"1","size":2}', 'request body: size is not described'],
])('%s that is not as described is reported', (_what, path, body, difference) => {
  expect(judge(path, body).differences).toEqual([difference]);
});

test.each([
  ['a success', { status: 200, body: '{}' }, 'status 200 is not described'],
  ['a member', { status: 201, body: '{}' }, "answer 201: it must have required property 'id'"],
  ['a body', { status: 204, body: '{}' }, 'answer 204: a body is not described'],
  ['an error', { status: 403, body: '{}' }, "answer 403: it must have required property 'message'"],
])('%s of an answer that is not as described is reported', (_what, answer, difference) => {
  expect(judge('/things/one', '{"id":"1"}', answer).differences).toEqual([difference]);
});
