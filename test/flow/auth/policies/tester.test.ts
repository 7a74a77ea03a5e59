import { beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

interface Made {
  readonly client_token: string;
  readonly accessor: string;
}

async function create(policies: readonly string[], asked: { readonly namespace?: string } = {}): Promise<Made> {
  const headers = asked.namespace === undefined ? {} : { 'x-service-namespace': asked.namespace };
  const { body } = await service.ask('POST', 'auth/token/create', { policies }, { headers });
  return body['auth'] as Made;
}

const at = 'sys/policies/test';
const ask = (fields: object, token?: string, namespace?: string) =>
  service.ask('POST', at, fields, {
    headers: {
      ...(token === undefined ? {} : { 'x-service-token': token }),
      ...(namespace === undefined ? {} : { 'x-service-namespace': namespace }),
    },
  });

const team = [
  'path "secret/data/team/*" { capabilities = ["read", "update"] }',
  'path "secret/data/team/private" { capabilities = ["deny"] }',
  'path "secret/metadata/+/app" { capabilities = ["list"] }',
].join('\n');

let member: Made;

beforeAll(async () => {
  await service.ask('PUT', 'sys/policies/acl/team', { policy: team });
  await service.ask('PUT', 'sys/policies/acl/more', {
    policy: 'path "secret/data/team/*" { capabilities = ["list"] }',
  });
  await service.ask('PUT', 'sys/policies/acl/tester', { policy: `path "${at}" { capabilities = ["update"] }` });
  member = await create(['team', 'more', 'tester']);
});

describe('sys/policies/test', () => {
  test('names the rule that decides, and the policies that have it', async () => {
    const { data } = await ask({ path: 'secret/data/team/a', accessor: member.accessor });
    expect(data).toEqual({
      allowed: true,
      reason: 'the rule grants "read"',
      mfa_methods: [],
      rule: {
        path: 'secret/data/team/*',
        capabilities: ['list', 'read', 'update'],
        policies: [
          { name: 'more', namespace_path: '', capabilities: ['list'] },
          { name: 'team', namespace_path: '', capabilities: ['read', 'update'] },
        ],
      },
    });
  });

  test.each([
    [{ path: 'secret/data/team/private' }, false, 'a rule denies the path', 'secret/data/team/private'],
    [
      { path: 'secret/data/team/a', capability: 'delete' },
      false,
      'the capability "delete" is missing',
      'secret/data/team/*',
    ],
    [{ path: 'secret/data/team/a', sudo: true }, false, 'the capability "sudo" is missing', 'secret/data/team/*'],
    [{ path: '/secret/metadata/x/app', capability: 'LIST' }, true, 'the rule grants "list"', 'secret/metadata/+/app'],
    [{ path: 'elsewhere' }, false, 'no rule matches the path', undefined],
  ])('of your own token: %j', async (fields, allowed, reason, path) => {
    const { data } = await ask(fields, member.client_token);
    expect(data).toMatchObject({ allowed, reason, rule: path === undefined ? null : { path } });
  });

  test('root is not checked', async () => {
    expect((await ask({ path: 'any' })).data).toMatchObject({ allowed: true, rule: null });
  });

  test('of a policy that is not stored, with the line of the rule', async () => {
    const policy = '# mine\n\npath "a/+" {\n  capabilities = ["update"]\n  allowed_parameters = { kind = ["x"] }\n}\n';
    const given = { path: 'a/b', capability: 'update', policy };
    expect((await ask({ ...given, parameters: { kind: 'x' } })).data).toMatchObject({
      allowed: true,
      rule: { path: 'a/+', allowed_parameters: { kind: ['x'] }, policies: [{ capabilities: ['update'], line: 3 }] },
    });
    expect((await ask({ ...given, parameters: { kind: 'y' } })).data).toMatchObject({
      allowed: false,
      reason: 'the parameter "kind" is not allowed',
    });
    expect((await service.ask('LIST', 'sys/policies/acl')).data['keys']).not.toContain('');
  });

  test('a template is about the entity of the token', async () => {
    const entity = (await service.ask('POST', 'identity/entity', { name: 'tested' })).data['id'];
    await service.ask('POST', 'sys/auth/tested', { type: 'userpass' });
    await service.ask('POST', 'auth/tested/users/tested', { password: 'tested-tested' });
    const mount = (await service.ask('GET', 'sys/auth')).data['tested/'] as { accessor: string };
    const alias = { name: 'tested', canonical_id: entity, mount_accessor: mount.accessor };
    await service.ask('POST', 'identity/entity-alias', alias);
    const { body } = await service.ask('POST', 'auth/tested/login/tested', { password: 'tested-tested' });
    const { accessor } = body['auth'] as Made;
    const policy = 'path "own/{{identity.entity.name}}" { capabilities = ["read"] }';
    expect((await ask({ path: 'own/tested', policy, accessor })).data).toMatchObject({ allowed: true });
    expect((await ask({ path: 'own/tested', policy })).data).toMatchObject({ allowed: false, rule: null });
  });

  test('a mistake of the policy has its line and column', async () => {
    const { status, body } = await ask({ path: 'a', policy: 'path "a" {\n  capabilities = ["fly"]\n}' });
    expect(status).toBe(400);
    expect(body['problems']).toEqual([
      { field: 'policy', message: expect.stringMatching(/^failed to parse policy: line 2, column \d+: /) },
    ]);
  });

  test('another token is tested only by callers who may see its capabilities', async () => {
    const fields = { path: 'a', accessor: member.accessor };
    expect((await ask(fields, member.client_token)).status).toBe(403);
    expect((await ask({ ...fields, accessor: 'none' })).status).toBe(400);
  });

  test('a token of a namespace above cannot be named', async () => {
    await service.ask('POST', 'sys/namespaces/inner');
    const fields = { path: 'a', accessor: member.accessor };
    expect((await ask(fields, undefined, 'inner')).errors.join()).toContain('invalid accessor');
    const inner = await create(['default'], { namespace: 'inner' });
    const reply = await ask({ path: 'inner/sys/capabilities-self', capability: 'update', accessor: inner.accessor });
    expect(reply.data).toMatchObject({
      allowed: true,
      rule: { path: 'inner/sys/capabilities-self', policies: [{ name: 'default', namespace_path: 'inner/' }] },
    });
  });

  test.each([
    [{}, 'path'],
    [{ path: 'a', capability: 'deny' }, 'capability'],
    [{ path: 'a', policy: '' }, 'policy'],
    [{ path: 'a', policy: 'path "a{{b" {}' }, 'policy'],
    [{ path: 'a', nothing: 1 }, 'nothing'],
  ])('%j gets 400', async (fields, field) => {
    const { status, errors } = await ask(fields);
    expect([status, errors.join()]).toEqual([400, expect.stringContaining(field)]);
  });
});

test('a revocation says before how many tokens it ends', async () => {
  const { client_token: parent, accessor } = await create(['root']);
  const made = await service.ask('POST', 'auth/token/create', {}, { headers: { 'x-service-token': parent } });
  const child = made.body['auth'] as Made;
  await service.ask('POST', 'auth/token/create', {}, { headers: { 'x-service-token': child.client_token } });
  const plan = await service.ask('POST', 'auth/token/revoke-accessor', { accessor, plan: true });
  expect(plan.data).toEqual({ children: 2, exact: true });
  expect((await service.ask('POST', 'auth/token/lookup-accessor', { accessor })).status).toBe(200);
  await service.ask('POST', 'auth/token/revoke-accessor', { accessor });
  expect((await service.ask('POST', 'auth/token/lookup-accessor', { accessor: child.accessor })).status).toBe(400);
});
