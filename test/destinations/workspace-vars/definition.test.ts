import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiBase } from '#destinations/workspace-vars/fields/fields.ts';
import { definition } from '#destinations/workspace-vars/index.ts';
import { connectionOf } from './setup.ts';

const schema = z.object(definition.fields);
const given = { token: 't', workspace_id: 'ws-1' };
const issues = (input: object) => schema.safeParse(input).error?.issues.map(({ message }) => message);
const problems = (change: object) => definition.validate(connectionOf({ ...given, ...change })).map(({ text }) => text);

test('unset fields have their defaults', () => {
  expect(schema.parse(given)).toMatchObject({ category: 'env', sensitive: true, hcl: false });
});

test.each(['engine', 'terraform'])('the category %s is the same as engine', (category) => {
  expect(schema.parse({ ...given, category }).category).toBe('engine');
});

test.each([
  [{ token: ' ' }, 'token must not be empty'],
  [{ token: 'a\nb' }, 'token has line breaks or other characters that are not valid in a token'],
  [{ workspace_id: '../x' }, 'workspace_id must be 1 to 128 characters of A-Z a-z 0-9 _ . -'],
  [{ workspace_name: '..' }, 'workspace_name must be 1 to 128 characters of A-Z a-z 0-9 _ . -'],
  [{ category: 'policy-set' }, 'category must be env or engine'],
  [{ address: 'ftp://x' }, 'invalid address: must be a URL such as https://api.example.com'],
  [
    { description: 'd'.repeat(453) },
    'description must have at most 452 characters: the host allows 512, and our mark is appended',
  ],
])('%j is refused with a text that names the field and the rule', (change, message) => {
  expect(issues({ ...given, ...change })).toEqual([message]);
});

const rule = 'set workspace_id, or organization_name and workspace_name, or variable_set_id';
const names = { organization_name: 'acme', workspace_name: 'network' };

test.each([
  [{}, []],
  [{ workspace_id: '', ...names }, []],
  [{ workspace_id: '', variable_set_id: 'varset-1' }, []],
  [{ workspace_id: '' }, [`the target of the variables is missing: ${rule}`]],
  [{ variable_set_id: 'varset-1' }, [`only one target is allowed: ${rule}`]],
  [names, [`only one target is allowed: ${rule}`]],
  [{ workspace_id: '', workspace_name: 'x' }, ['organization_name and workspace_name must be set together']],
  [{ hcl: true, category: 'engine' }, []],
  [{ hcl: true }, ['hcl is only for category engine: environment variables are plain texts']],
])('the connection with %j has the problems %j', (change, expected) => {
  expect(problems(change)).toEqual(expected);
});

test('the token is the only sensitive field, the target cannot change, and a new address needs the token again', () => {
  const withMark = (mark: string) =>
    Object.entries(definition.fields).flatMap(([name, field]) => (field.meta()?.[mark] === true ? [name] : []));
  expect(withMark('sensitive')).toEqual(['token']);
  expect(withMark('immutable')).toEqual(['workspace_id', 'organization_name', 'workspace_name', 'variable_set_id']);
  expect(withMark('routes')).toEqual(['address', 'endpoint', 'tls_ca_cert']);
});

describe('the base of the API', () => {
  test.each([
    [{}, 'https://app.terraform.io/api/v2'],
    [{ address: 'https://tfe.example.com' }, 'https://tfe.example.com/api/v2'],
    [{ address: 'https://tfe.example.com/' }, 'https://tfe.example.com/api/v2'],
    [{ address: 'https://tfe.example.com/api/v2/' }, 'https://tfe.example.com/api/v2'],
    [{ address: 'https://tools.example.com/tfe' }, 'https://tools.example.com/tfe/api/v2'],
    [{ address: 'https://tfe.example.com', endpoint: 'http://10.0.0.1:8200' }, 'http://10.0.0.1:8200/api/v2'],
  ])('of %j is %s', (change, base) => {
    expect(apiBase(connectionOf({ ...given, ...change }))).toBe(base);
  });
});

test.each([
  ['db-password', 'db_password'],
  ['1ST', '_1ST'],
  ['MÜLLER', 'M_LLER'],
  ['A😀B', 'A_B'],
])('the name %j becomes %j', (name, normal) => {
  expect(definition.names.normalise(name)).toBe(normal);
});
