import { expect, test } from 'vitest';
import { start } from './setup.ts';

const mediaType = 'application/vnd.api+json';

/** The answer to a request on the stand-in's workspace. */
async function asked(method: string, rest: string, attributes?: object, headers: Record<string, string> = {}) {
  const fake = await start();
  const readable = fake.add({ key: 'READABLE', value: 'shown' });
  fake.add({ key: 'HIDDEN', value: 'hidden', sensitive: true });
  const url = `${fake.url}/api/v2/workspaces/${fake.destination['workspace_id']}/vars${rest.replace(':id', readable.id)}`;
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${fake.destination['token']}`, 'content-type': mediaType, ...headers },
    ...(attributes !== undefined && { body: JSON.stringify({ data: { type: 'vars', attributes } }) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

test('a list of the stand-in shows variables as the host does, and no sensitive value', async () => {
  const { status, headers, body } = await asked('GET', '');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain(mediaType);
  expect(headers.get('x-ratelimit-limit')).toBe('30');
  expect(body.data).toMatchObject([
    { type: 'vars', attributes: { key: 'READABLE', value: 'shown', 'version-id': expect.stringMatching(/^\w{36}$/) } },
    { type: 'vars', attributes: { key: 'HIDDEN', value: null, sensitive: true } },
  ]);
});

const refusals: readonly (readonly [
  string,
  string,
  string,
  object | undefined,
  Record<string, string>,
  number,
  object,
])[] = [
  ['a taken name', 'POST', '', { key: 'HIDDEN', category: 'env' }, {}, 422, taken()],
  ['a rename to a taken name', 'PATCH', '/:id', { key: 'HIDDEN' }, {}, 422, taken()],
  ['a missing category', 'POST', '', { key: 'NEW' }, {}, 422, about('category')],
  ['a key of an environment variable with a dash', 'POST', '', { key: 'a-b', category: 'env' }, {}, 422, about('key')],
  ['a long description', 'PATCH', '/:id', { description: 'd'.repeat(513) }, {}, 422, about('description')],
  ['another media type', 'POST', '', { key: 'NEW' }, { 'content-type': 'application/json' }, 415, {}],
  ['another media type without a body', 'DELETE', '/:id', undefined, { 'content-type': 'text/plain' }, 415, {}],
  ['an unknown id', 'DELETE', '/var-none', undefined, {}, 404, { title: 'not found' }],
  ['a wrong token', 'GET', '', undefined, { authorization: 'Bearer x' }, 401, { title: 'unauthorized' }],
];

test.each(refusals)('the stand-in refuses %s', async (_what, method, rest, attributes, headers, status, error) => {
  const answer = await asked(method, rest, attributes, headers);
  expect(answer.status).toBe(status);
  expect(answer.body.errors).toMatchObject([{ status: String(status), ...error }]);
});

test('another category may have the same name', async () => {
  expect((await asked('POST', '', { key: 'HIDDEN', category: 'terraform' })).status).toBe(201);
});

test('a sensitive variable cannot become readable', async () => {
  const fake = await start();
  const { id } = fake.add({ key: 'HIDDEN', value: 'v', sensitive: true });
  const answer = await fetch(`${fake.url}/api/v2/workspaces/${fake.destination['workspace_id']}/vars/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${fake.destination['token']}`, 'content-type': mediaType },
    body: JSON.stringify({ data: { type: 'vars', id, attributes: { sensitive: false } } }),
  });
  expect(answer.status).toBe(422);
});

function taken() {
  return { detail: 'Key has already been taken', ...about('key') };
}

function about(attribute: string) {
  return { title: 'invalid attribute', source: { pointer: `/data/attributes/${attribute}` } };
}
