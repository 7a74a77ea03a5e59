import { beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

interface Made {
  readonly client_token: string;
  readonly accessor: string;
}

async function create(policies: readonly string[], more: object = {}): Promise<Made> {
  const { body } = await service.ask('POST', 'auth/token/create', { policies, ...more });
  return body['auth'] as Made;
}

const policy = `
path "secret/data/team/*" { capabilities = ["update", "read", "list"] min_wrapping_ttl = "1m" }
path "secret/data/team/private" { capabilities = ["deny"] }
path "+/metadata/*" { capabilities = ["list"] allowed_parameters = { a = [] } }
`;
let member: Made;

beforeAll(async () => {
  await service.ask('PUT', 'sys/policies/acl/team', { policy });
  member = await create(['team']);
});

const as = (token: string) => (method: string, path: string, body?: unknown) =>
  service.ask(method, path, body, { headers: { 'x-service-token': token } });

describe('sys/capabilities', () => {
  test('of a token, its accessor and the caller are the same', async () => {
    const paths = ['secret/data/team/a', 'secret/data/team/private', '/secret/metadata/', 'elsewhere'];
    const expected = {
      'secret/data/team/a': ['list', 'read', 'update'],
      'secret/data/team/private': ['deny'],
      '/secret/metadata/': ['list'],
      elsewhere: ['deny'],
    };
    for (const answer of [
      await service.ask('POST', 'sys/capabilities', { paths, token: member.client_token }),
      await service.ask('PUT', 'sys/capabilities-accessor', { paths, accessor: member.accessor }),
      await as(member.client_token)('POST', 'sys/capabilities-self', { paths }),
      await as(member.client_token)('POST', 'sys/capabilities-self', { paths, token: member.client_token }),
    ]) {
      expect(answer).toMatchObject({ status: 200, body: expected });
      expect(answer.data).toEqual(expected);
    }
  });

  test('of a batch token are shown, those of a revoked token are not', async () => {
    const paths = ['secret/data/team/a'];
    const batch = await create(['team'], { type: 'batch' });
    const shown = await service.ask('POST', 'sys/capabilities', { paths, token: batch.client_token });
    expect(shown.data).toMatchObject({ 'secret/data/team/a': ['list', 'read', 'update'] });
    const { client_token: token, accessor } = await create(['team']);
    await service.ask('POST', 'auth/token/revoke', { token });
    for (const [path, body] of [
      ['sys/capabilities', { paths, token }],
      ['sys/capabilities-accessor', { paths, accessor }],
    ] as const) {
      expect((await service.ask('POST', path, body)).status).toBe(400);
    }
  });

  test('of a single path appear under `capabilities` as well, and root has `root`', async () => {
    const one = await service.ask('POST', 'sys/capabilities-self', { path: 'a' });
    expect(one.data).toEqual({ a: ['root'], capabilities: ['root'] });
    expect(one.body).toMatchObject({ capabilities: ['root'] });
  });

  test('follow the alias of a type', async () => {
    await service.ask('PUT', 'sys/policies/acl/sync', {
      policy: 'path "sys/sync/destinations/aws-sm/*" { capabilities = ["read"] }',
    });
    const { client_token: token } = await create(['sync']);
    const paths = ['sys/sync/destinations/aws-sm/x', 'sys/sync/destinations/cloud-a-sm/x'];
    const { data } = await service.ask('POST', 'sys/capabilities', { paths, token });
    expect(Object.values(data)).toEqual([['read'], ['read']]);
  });

  test.each([
    ['capabilities-self', {}, 'paths must be supplied'],
    ['capabilities-self', { paths: [] }, 'paths must be supplied'],
    ['capabilities-self', { paths: { a: 1 } }, 'paths'],
    ['capabilities-self', { paths: [{}] }, 'paths'],
    ['capabilities', { paths: ['a'] }, 'missing token'],
    ['capabilities', { paths: ['a'], token: 'hvs.none' }, 'invalid token'],
    ['capabilities', { paths: ['a'], token: { a: 1 } }, 'token'],
    ['capabilities-accessor', { paths: ['a'] }, 'missing accessor'],
    ['capabilities-accessor', { paths: ['a'], accessor: 'none' }, 'invalid accessor'],
    ['capabilities-accessor', { paths: ['a'], accessor: '\0' }, 'invalid accessor'],
    ['capabilities-accessor', { paths: ['a'], accessor: ['none', 'other'] }, 'accessor'],
  ])('sys/%s refuses %j', async (path, body, text) => {
    const answer = await service.ask('POST', `sys/${path}`, body);
    expect(answer).toMatchObject({ status: 400, errors: [expect.stringContaining(text)] });
  });
});

describe('sys/internal/ui', () => {
  test('resultant-acl shows the merged rules', async () => {
    const { data } = await as(member.client_token)('GET', 'sys/internal/ui/resultant-acl');
    expect(data).toMatchObject({
      root: false,
      exact_paths: {
        'secret/data/team/private': { capabilities: ['deny'] },
        'sys/capabilities-self': { capabilities: ['update'] },
      },
      glob_paths: {
        'secret/data/team/': { capabilities: ['list', 'read', 'update'], min_wrapping_ttl: 60 },
        '+/metadata/*': { capabilities: ['list'], allowed_parameters: { a: [] } },
        'cubbyhole/': {},
      },
    });
    expect((await service.ask('GET', 'sys/internal/ui/resultant-acl')).data).toMatchObject({ root: true });
  });

  test('mounts lists mounts with any grant below them', async () => {
    await service.ask('POST', 'sys/mounts/hidden', { type: 'kv' });
    const narrow = await create(['narrow'], { no_default_policy: true });
    await service.ask('PUT', 'sys/policies/acl/narrow', {
      policy: 'path "secret/data/a/b" { capabilities = ["read"] } path "hidden/*" { capabilities = ["deny"] }',
    });
    const ask = as(narrow.client_token);
    const { data } = await ask('GET', 'sys/internal/ui/mounts');
    expect(Object.keys(data['secret'] as object)).toEqual(['secret/']);
    expect(await ask('GET', 'sys/internal/ui/mounts/secret/data/x')).toMatchObject({
      status: 200,
      data: { path: 'secret/', options: { version: '2' } },
    });
    const refusal = (path: string) => ({
      status: 403,
      errors: [
        `preflight capability check returned 403, please ensure client's policies grant access to path "${path}/"`,
      ],
    });
    expect(await ask('GET', 'sys/internal/ui/mounts/hidden/a')).toMatchObject(refusal('hidden/a'));
    expect(await ask('GET', 'sys/internal/ui/mounts/none')).toMatchObject(refusal('none'));
  });

  test('messages are visible with any token, and some without a token', async () => {
    const bare = await create([], { policies: ['none'], no_default_policy: true });
    const none = { status: 200, data: { keys: [], key_info: {} } };
    expect(await as(bare.client_token)('GET', 'sys/internal/ui/authenticated-messages')).toMatchObject(none);
    expect(await as('')('GET', 'sys/internal/ui/unauthenticated-messages')).toMatchObject(none);
    expect(await as('')('GET', 'sys/internal/ui/authenticated-messages')).toMatchObject({ status: 403 });
    expect(await as('hvs.none')('GET', 'sys/internal/ui/authenticated-messages')).toMatchObject({ status: 403 });
  });
});
