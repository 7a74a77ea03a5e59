import { expect, test } from 'vitest';
import { judgeBy } from './discovery.ts';
import type { Exchange } from './exchange.ts';

const root = new URL('../../..', import.meta.url).pathname;

const oracle = judgeBy(root, {
  parameters: { alt: {} },
  schemas: {
    Thing: {
      id: 'Thing',
      type: 'object',
      properties: { state: { type: 'string', enum: ['ON', 'OFF'] }, part: { $ref: 'Part' } },
    },
    Part: { id: 'Part', type: 'object', properties: { size: { type: 'string' }, extra: { type: 'any' } } },
  },
  resources: {
    things: {
      methods: {
        patch: {
          id: 'things.patch',
          httpMethod: 'PATCH',
          flatPath: 'v1/things/{thingsId}',
          parameters: { updateMask: { location: 'query', required: true }, name: { location: 'path', required: true } },
          request: { $ref: 'Thing' },
          response: { $ref: 'Thing' },
        },
      },
    },
  },
});

const url = '/v1/things/one?updateMask=state&$alt=json';
const ours = { 'x-goog-api-client': 'gl-node' };

function judge(path: string, request: string, answer?: Exchange['answer']) {
  return oracle.judge({ method: 'PATCH', url: new URL(path, 'http://stand-in'), headers: ours, request, answer });
}

test('a described exchange has no differences: names of states are sent, numbers received', () => {
  const answer = { status: 200, body: '{"state":1,"part":{"size":"3","extra":[]}}' };
  expect(judge(url, '{"state":"ON"}', answer)).toEqual({ operation: 'things.patch', differences: [] });
});

test('requests of another client are not judged', () => {
  const exchange = {
    method: 'GET',
    url: new URL('http://stand-in/nowhere'),
    headers: {},
    request: '',
    answer: undefined,
  };
  expect(oracle.judge(exchange).differences).toEqual([]);
});

test.each([
  ['a path', '/v1/thing/one', '{}', 'PATCH /v1/thing/one is not described'],
  ['a missing query parameter', '/v1/things/one', '{}', 'query parameter updateMask is missing'],
  ['a query parameter', `${url}&force=true`, '{}', 'query parameter force is not described'],
  ['a missing body', url, '', 'request body: it must be object'],
  ['a member', url, '{"part":{"colour":"red"}}', 'request body: /part must NOT have additional properties: colour'],
  ['a state', url, '{"state":"MAYBE"}', 'request body: /state must be equal to one of the allowed values'],
])('%s that is not as described is reported', (_what, path, body, difference) => {
  expect(judge(path, body).differences).toEqual([difference]);
});

test.each([
  ['a member', { status: 200, body: '{"state":"ON"}' }, 'answer 200: /state must be integer'],
  ['an error', { status: 404, body: '{}' }, "answer 404: it must have required property 'error'"],
])('%s of an answer that is not as described is reported', (_what, answer, difference) => {
  expect(judge(url, '{}', answer).differences).toEqual([difference]);
});
