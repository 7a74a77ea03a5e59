import { expect, test } from 'vitest';
import { z } from 'zod';
import { definition } from '#destinations/deploy-host-project/index.ts';

const schema = z.object(definition.fields);
const given = { access_token: 't', project_id: 'prj_1', deployment_environments: 'production,preview' };
const problems = (input: object) => schema.safeParse(input).error?.issues.map(({ message }) => message);

test('the environments are parsed from a comma-separated text and from an array', () => {
  expect(schema.parse(given).deployment_environments).toEqual(['production', 'preview']);
  expect(schema.parse({ ...given, deployment_environments: ['development'], team_id: '' })).toMatchObject({
    deployment_environments: ['development'],
  });
});

test.each([
  [
    { deployment_environments: ['staging'] },
    'invalid environment "staging": deployment_environments takes development, preview, production',
  ],
  [{ deployment_environments: [] }, 'deployment_environments needs one of development, preview, production'],
  [{ access_token: ' ' }, 'access_token must not be empty'],
  [{ project_id: '../teams' }, 'project_id must be 1 to 128 characters of A-Z a-z 0-9 _ . -'],
  [{ project_id: '..' }, 'project_id must be 1 to 128 characters of A-Z a-z 0-9 _ . -'],
  [{ team_id: 'a/b' }, 'team_id must be 1 to 128 characters of A-Z a-z 0-9 _ . -'],
])('%j is refused with a text that names the field and the rule', (change, message) => {
  expect(problems({ ...given, ...change })).toEqual([message]);
});

test('the token is the only sensitive field and the project cannot change', () => {
  const withMark = (mark: string) =>
    Object.entries(definition.fields).flatMap(([name, field]) => (field.meta()?.[mark] === true ? [name] : []));
  expect(withMark('sensitive')).toEqual(['access_token']);
  expect(withMark('immutable')).toEqual(['project_id']);
});

test('the fields can be shown as a JSON schema', () => {
  expect(z.toJSONSchema(schema, { io: 'output' }).properties).toMatchObject({
    deployment_environments: { type: 'array', items: { enum: ['development', 'preview', 'production'] } },
  });
});

test.each([
  ['KEYFERRY_KV_1a_app/db-main', 'KEYFERRY_KV_1a_app_db_main'],
  ['1ST', '_1ST'],
  ['MÜLLER', 'M_LLER'],
  ['A😀B', 'A_B'],
  ['', ''],
])('the name %j becomes %j', (name, normal) => {
  expect(definition.names.normalise(name)).toBe(normal);
  expect(definition.names.normalise(normal)).toBe(normal);
});

test.each([
  ['', 'the name is empty'],
  ['9LIVES', 'the name has characters other than A-Z a-z 0-9 _, or starts with a digit'],
  ['A-B', 'the name has characters other than A-Z a-z 0-9 _, or starts with a digit'],
  ['TZ', 'the name is reserved for the runtime of deployments'],
  ['VERCEL_URL', 'the name is reserved for the runtime of deployments'],
  ['AWS_LAMBDA_FUNCTION_NAME', 'the name is reserved for the runtime of deployments'],
  ['A'.repeat(257), 'the name has 257 characters, at most 256 are allowed'],
  ['AWS_SECRET_ACCESS_KEY', undefined],
  ['_a1', undefined],
])('the problem of the name %j is: %s', (name, reason) => {
  expect(definition.names.refuse(name)).toBe(reason);
});
