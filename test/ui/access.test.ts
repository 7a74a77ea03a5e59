import { expect, test } from 'vitest';
import { fieldsOf, replacesOf, sentFields, typedOf } from '#ui/pages/access/described/fields.ts';
import { mistakeIn, offsetOf } from '#ui/pages/access/written/mistake.ts';

const properties = {
  name: { type: 'string', description: 'Name of it' },
  token_ttl: { oneOf: [{ type: 'integer' }, { type: 'string' }], description: 'Lifetime' },
  ttl: { type: 'integer', description: 'Old name of token_ttl' },
  keys: { type: 'array', items: { type: 'string' }, description: 'PEM keys' },
  claims: { type: 'object', description: 'Claims' },
  secret: { type: 'string', format: 'password', description: 'Secret' },
  on: { type: 'boolean', default: true, description: 'Whether' },
};
const helpWith = (summary: string) => ({
  openapi: {
    paths: {
      '/': {
        post: {
          summary,
          requestBody: { content: { 'application/json': { schema: { properties, required: ['name'] } } } },
        },
      },
    },
  },
});
const fields = fieldsOf(helpWith('Create or update it'));

test('the fields of a form come from the help of its path, without old names', () => {
  expect(fields.map(({ name, label, type }) => [name, label, type])).toEqual([
    ['name', 'Name', 'string'],
    ['token_ttl', 'TTL', 'string'],
    ['keys', 'Keys', 'array of string'],
    ['claims', 'Claims', 'object'],
    ['secret', 'Secret', 'string'],
    ['on', 'On', 'boolean'],
  ]);
  expect(replacesOf(helpWith('Create or replace it'))).toBe(true);
  expect(replacesOf(helpWith('Create or update it'))).toBe(false);
});

test('what lines cannot show is JSON, and comes back as it was', () => {
  const pem = '-----BEGIN A-----\nx,y\n-----END A-----';
  const stored = { name: 'a', token_ttl: 60, keys: [pem], claims: { groups: ['x', 'y'] }, secret: 'hidden', on: false };
  const before = typedOf(fields, stored);
  expect(before).toMatchObject({ name: 'a', token_ttl: '60', secret: '', on: 'false' });
  const { body, problems } = sentFields(fields, before, undefined);
  expect(problems).toEqual({});
  expect(body).toEqual({ name: 'a', token_ttl: '60', keys: [pem], claims: { groups: ['x', 'y'] }, on: false });
});

test('a list of PEM blocks is split at their ends', () => {
  const [one, two] = ['-----BEGIN A-----\nx\n-----END A-----', '-----BEGIN A-----\ny\n-----END A-----'];
  expect(sentFields(fields, { name: 'a', keys: `${one}\n${two}\n` }, undefined).body['keys']).toEqual([one, two]);
});

test('of something stored only changes are sent, and an emptied field as empty', () => {
  const before = { name: 'a', token_ttl: '60', keys: 'k', claims: 'a=b' };
  expect(sentFields(fields, { ...before, keys: '', claims: '' }, before).body).toEqual({ keys: [], claims: {} });
  expect(sentFields(fields, {}, undefined).problems).toEqual({ name: 'Name is required.' });
});

test.each([
  ['failed to parse policy: line 3, column 7: expected "]"', 3, 7],
  ['failed to parse policy: path "a": a template is not closed', undefined, 1],
])('the place of a mistake is in its text: %s', (message, line, column) => {
  expect(mistakeIn(message)).toMatchObject({ line, column });
});

test('a place is an offset within the text', () => {
  expect(offsetOf('a\nbc\nd', 2, 2)).toBe(3);
  expect(offsetOf('a', 9, 9)).toBe(1);
});
