import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

async function make(path = 'create'): Promise<{ readonly token: string; readonly lease: string }> {
  const before = await names(`auth/token/${path}`);
  const { body } = await service.ask('POST', `auth/token/${path}`, { policies: ['default'], ttl: '1h' });
  const [added] = (await names(`auth/token/${path}`)).filter((name) => !before.includes(name));
  return { token: (body['auth'] as { client_token: string }).client_token, lease: `auth/token/${path}/${added}` };
}

async function names(prefix: string, query = ''): Promise<readonly string[]> {
  const { status, data } = await service.ask('GET', `sys/leases/lookup/${prefix}?list=true${query}`);
  return status === 404 ? [] : (data['keys'] as string[]);
}

const isValid = async (token: string): Promise<boolean> =>
  (await service.ask('GET', 'auth/token/lookup-self', undefined, { headers: { 'x-service-token': token } })).status ===
  200;

describe('the lease of a token', () => {
  test('is looked up by its id', async () => {
    const { lease } = await make();
    expect((await service.ask('PUT', 'sys/leases/lookup', { lease_id: lease })).data).toMatchObject({
      id: lease,
      path: 'auth/token/create',
      last_renewal: null,
      renewable: true,
      ttl: expect.closeTo(3_600, -2),
    });
  });

  test.each([
    ['sys/leases/revoke', 'body'],
    ['sys/revoke', 'body'],
    ['sys/leases/revoke', 'path'],
    ['sys/revoke', 'path'],
  ])('is revoked by %s with its id in the %s', async (path, where) => {
    const { token, lease } = await make();
    const { status } =
      where === 'body'
        ? await service.ask('PUT', path, { lease_id: lease })
        : await service.ask('PUT', `${path}/${lease}`);
    expect(status).toBe(204);
    expect(await isValid(token)).toBe(false);
    expect(await service.ask('PUT', 'sys/leases/lookup', { lease_id: lease })).toMatchObject({
      status: 400,
      errors: ['invalid lease'],
    });
  });

  test.each(['sys/leases/renew', 'sys/renew'])('is not renewed by %s', async (path) => {
    const { lease } = await make();
    const errors = async (body: object) => (await service.ask('PUT', path, body)).errors;
    expect(await errors({ lease_id: lease })).toEqual(['tokens cannot be renewed through this endpoint']);
    expect(await errors({ lease_id: 'a/b/c' })).toEqual(['lease not found']);
    expect(await errors({})).toEqual(['lease_id must be specified']);
    expect((await service.ask('PUT', `${path}/${lease}`)).status).toBe(400);
  });
});

describe('leases below a path', () => {
  test('are listed folder by folder, in pages', async () => {
    for (const role of ['a', 'b', 'create-x']) {
      await service.ask('POST', `auth/token/roles/${role}`, { allowed_policies: 'default' });
      await make(`create/${role}`);
    }
    await service.ask('POST', 'auth/token/create-orphan', { policies: ['default'] });
    expect(await names('')).toEqual(['auth/']);
    expect(await names('auth')).toEqual(['token/']);
    expect(await names('auth/token/')).toEqual(['create-orphan/', 'create/']);
    const below = await names('auth/token/create');
    expect(below.filter((name) => name.endsWith('/'))).toEqual(['a/', 'b/', 'create-x/']);
    const paged: string[] = [];
    for (let after = ''; ; after = paged.at(-1) ?? '') {
      const page = await names('auth/token/create', `&limit=2&after=${after}`);
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(below);
  });

  test.each(['sys/leases/revoke-prefix', 'sys/revoke-prefix', 'sys/leases/revoke-force', 'sys/revoke-force'])(
    'are ended by %s, and no others',
    async (path) => {
      for (const role of ['pre', 'prefix'])
        await service.ask('POST', `auth/token/roles/${role}`, { allowed_policies: 'default' });
      const [one, two, other] = [await make('create/pre'), await make('create/pre'), await make('create/prefix')];
      expect((await service.ask('PUT', `${path}/auth/token/create/pre`)).status).toBe(204);
      expect([await isValid(one.token), await isValid(two.token), await isValid(other.token)]).toEqual([
        ...[false, false, true],
      ]);
    },
  );

  test('that are irrevocable number zero', async () => {
    expect((await service.ask('GET', 'sys/leases/count?type=irrevocable')).data).toMatchObject({ lease_count: 0 });
    expect((await service.ask('GET', 'sys/leases?type=irrevocable')).data).toMatchObject({ lease_count: 0 });
    expect((await service.ask('GET', 'sys/leases/count')).status).toBe(400);
  });

  test('are revoked in the background without waiting', async () => {
    const { lease } = await make();
    expect((await service.ask('PUT', 'sys/leases/revoke', { lease_id: lease, sync: false })).status).toBe(202);
  });
});
