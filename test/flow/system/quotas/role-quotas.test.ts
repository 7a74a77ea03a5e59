import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask } from '#test/support/flow/calls/ask.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

// Quotas for one role of an auth method.
const service = serviceOf([]);
const other = otherProcessOf(service);
const ids: Record<string, string> = {};

beforeAll(async () => {
  await service.ask('POST', 'sys/auth/approle', { type: 'approle' });
  await service.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
  for (const role of ['a', 'b']) {
    await service.ask('POST', `auth/approle/role/${role}`, {
      bind_secret_id: false,
      secret_id_bound_cidrs: '127.0.0.0/8',
      token_ttl: '1h',
    });
    ids[role] = String((await service.ask('GET', `auth/approle/role/${role}/role-id`)).data['role_id']);
  }
});
afterEach(async () => {
  await sql`delete from quotas`.execute(service.store.db);
  await service.ask('POST', 'sys/quotas/config', {});
});

const login = (role: string, address = service.address): Promise<Answer> =>
  ask({ address, token: '', method: 'POST', path: 'auth/approle/login', body: { role_id: ids[role] } });
const countOf = async (name: string) =>
  Number((await service.ask('GET', `sys/quotas/lease-count/${name}`)).data['counter']);

describe('a lease count of a role', () => {
  const at = 'sys/quotas/lease-count';

  test('is exact for concurrent logins at two processes, and applies only to that role', async () => {
    expect((await login('a')).status).toBe(200);
    await service.ask('POST', `${at}/a`, { path: 'auth/approle', role: 'A', max_leases: 1 });
    expect((await service.ask('GET', `${at}/a`)).data).toMatchObject({ path: 'auth/approle/', role: 'A', counter: 1 });
    // A process that has not seen the quota yet creates tokens.
    await eventually(async () => (await login('a', other.address)).status === 429);
    const known = (await sql`select 1 from tokens where login_role = 'a'`.execute(service.store.db)).rows.length;
    await service.ask('POST', `${at}/a`, { max_leases: known + 7 });
    const addresses = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? service.address : other.address));
    const answers = await Promise.all(addresses.map((address) => login('a', address)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17);
    expect(await countOf('a')).toBe(known + 7);
    expect((await login('b')).status).toBe(200);
    const made = String(Object(answers.find(({ status }) => status === 200)?.body['auth'])['client_token']);
    await service.ask('POST', 'auth/token/revoke', { token: made });
    expect([(await login('a')).status, (await login('a')).status]).toEqual([200, 429]);
  });

  test('replaces that of the mount', async () => {
    await service.ask('POST', `${at}/all`, { path: 'auth/approle', max_leases: 1 });
    await service.ask('POST', `${at}/b`, { path: 'auth/approle', role: 'b', max_leases: 1_000 });
    expect([(await login('b')).status, (await login('a')).status]).toEqual([200, 429]);
  });
});

describe('a rate limit of a role', () => {
  const at = 'sys/quotas/rate-limit';

  test('applies only to its logins, which identify it by role id', async () => {
    await service.ask('POST', `${at}/a`, { path: 'auth/approle', role: 'a', rate: 1, interval: '10h' });
    expect([(await login('a')).status, (await login('a')).status, (await login('b')).status]).toEqual([200, 429, 200]);
    const unknown = { role_id: 'x', role: 'a' };
    expect((await service.ask('POST', 'auth/approle/login', unknown)).status).toBe(400);
    expect((await service.ask('POST', 'auth/approle/login', { role_id: 'x\0' })).status).toBe(400);
    expect((await service.ask('GET', 'auth/approle/role/a')).status).toBe(200);
  });
});

test.each(['rate-limit', 'lease-count'])('a %s for a role is refused where logins have no role', async (kind) => {
  for (const path of ['auth/userpass', 'auth/token', 'secret', '']) {
    const body = { path, role: 'a', rate: 1, max_leases: 1 };
    const { status, errors } = await service.ask('POST', `sys/quotas/${kind}/x`, body);
    expect([path, status, errors]).toEqual([
      path,
      400,
      ['role can only be specified for auth mounts with the concept of roles'],
    ]);
  }
});
