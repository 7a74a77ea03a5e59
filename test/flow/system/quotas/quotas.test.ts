import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);

afterEach(async () => {
  await sql`delete from quotas`.execute(service.store.db);
  // The process drops what it keeps in memory.
  await service.ask('POST', 'sys/quotas/config', {
    rate_limit_exempt_paths: [],
    enable_rate_limit_response_headers: false,
  });
});

const elsewhere = (method: string, path: string, body?: unknown) =>
  ask({ address: other.address, token: service.rootToken, method, path, body });

describe('a rate limit', () => {
  const at = 'sys/quotas/rate-limit';

  test('is created, read, listed, changed and deleted', async () => {
    expect((await service.ask('LIST', at)).status).toBe(404);
    // The form in which Python clients write a number.
    expect(
      (await service.ask('POST', `${at}/slow`, undefined, { raw: '{"rate":1000.0,"path":"secret"}' })).status,
    ).toBe(204);
    expect((await service.ask('GET', `${at}/slow`)).data).toMatchObject({ rate: 1_000 });
    expect((await service.ask('POST', `${at}/slow`, { rate: '2.5', path: 'secret', interval: '1h' })).status).toBe(204);
    const shown = {
      type: 'rate-limit',
      name: 'slow',
      path: 'secret/',
      role: '',
      rate: 2.5,
      interval: 3_600,
      block_interval: 0,
      inheritable: false,
      group_by: 'ip',
    };
    expect((await service.ask('GET', `${at}/slow`)).data).toEqual(shown);
    expect((await service.ask('POST', `${at}/slow`, { block_interval: '2h' })).status).toBe(204);
    expect((await service.ask('GET', `${at}/slow`)).data).toEqual({ ...shown, block_interval: 7_200 });
    expect((await service.ask('LIST', at)).data).toEqual({ keys: ['slow'] });
    expect((await service.ask('DELETE', `${at}/slow`)).status).toBe(204);
    expect((await service.ask('GET', `${at}/slow`)).status).toBe(404);
  });

  test('refuses only the requests beyond it, with and without a token', async () => {
    await service.ask('POST', 'secret/data/limited/a', { data: { a: 1 } });
    await service.ask('POST', `${at}/few`, { rate: 3, path: 'secret/data/limited/*', interval: '10h' });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) {
      const options = n === 1 ? { headers: { 'x-service-token': undefined } } : {};
      statuses.push((await service.ask('GET', 'secret/data/limited/a', undefined, options)).status);
    }
    expect(statuses).toEqual([200, 403, 200, 429, 429]);
    const refused = await fetch(`${service.address}/v1/secret/data/limited/b`);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { errors: ['request path "secret/data/limited/b": rate limit quota exceeded'] },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-limit')).toBeNull();
    expect((await service.ask('GET', 'secret/data/elsewhere')).status).toBe(404);
    expect((await service.ask('GET', 'sys/health')).status).toBe(200);
  });

  test('admits exactly its number of concurrent requests', async () => {
    await service.ask('POST', `${at}/exact`, { rate: 10, path: 'secret/data/once', interval: '10h' });
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.ask('GET', 'secret/data/once')));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
  });

  test('reports the remaining requests if configured, and does not apply to exempt paths', async () => {
    await service.ask('POST', `${at}/reported`, { rate: 2, path: 'sys/tools/*', interval: '10h' });
    await service.ask('POST', 'sys/quotas/config', {
      enable_rate_limit_response_headers: true,
      rate_limit_exempt_paths: 'sys/tools/hash',
    });
    expect((await service.ask('GET', 'sys/quotas/config')).data).toMatchObject({
      rate_limit_exempt_paths: ['sys/tools/hash'],
    });
    const random = () =>
      fetch(`${service.address}/v1/sys/tools/random`, {
        method: 'POST',
        headers: { 'x-service-token': service.rootToken },
      });
    const left = [];
    for (let n = 0; n < 3; n += 1) left.push((await random()).headers.get('x-ratelimit-remaining'));
    expect(left).toEqual(['1', '0', '0']);
    expect((await service.ask('POST', 'sys/tools/hash', { input: '' })).status).toBe(200);
  });

  test('created by one process applies in the others shortly afterwards', async () => {
    await elsewhere('GET', 'secret/data/far');
    await service.ask('POST', `${at}/far`, { rate: 1, path: 'secret/data/far', interval: '10h' });
    await eventually(async () => (await elsewhere('GET', 'secret/data/far')).status === 429);
  });

  test.each([
    [{}, "'rate' is invalid"],
    [{ rate: 0 }, "'rate' is invalid"],
    [{ rate: -1 }, "'rate' is invalid"],
    [{ rate: 1e300 }, "'rate' is invalid"],
    [{ rate: 'many' }, 'rate'],
    [{ rate: [] }, 'rate'],
    [{ rate: 1, interval: '-1s' }, 'interval'],
    [{ rate: 1, interval: '9999999h' }, 'interval'],
    [{ rate: 1, interval: '100ms' }, 'interval'],
    [{ rate: 1, path: 'nowhere/x' }, 'invalid mount path "nowhere/x"'],
    [{ rate: 1, path: 'secret/*/x' }, 'only at its end'],
    [{ rate: 1, path: 'secret', role: 'ci' }, 'role can only be specified for auth mounts'],
    [{ rate: 1, path: { a: 1 } }, 'path'],
  ])('%j is a bad request', async (body, text) => {
    const answer = await service.ask('POST', `${at}/bad`, body);
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain(text);
  });

  test('is the only one that applies to its requests', async () => {
    await service.ask('POST', `${at}/first`, { rate: 1_000, path: 'secret' });
    const answer = await service.ask('POST', `${at}/second`, { rate: 5, path: 'secret/' });
    expect(answer).toMatchObject({
      status: 400,
      errors: ['quota rule with similar properties exists under the name "first"'],
    });
  });
});

describe('a lease count', () => {
  const at = 'sys/quotas/lease-count';
  const tokenOf = (n: number) => {
    const address = n % 2 === 0 ? service.address : other.address;
    return ask({ address, token: service.rootToken, method: 'POST', path: 'auth/token/create', body: { ttl: '1h' } });
  };

  test('is exact for tokens created concurrently by two processes, and admits another after a revocation', async () => {
    await service.ask('POST', `${at}/tokens`, { path: 'auth/token', max_leases: 1 });
    // A process that has not seen the quota yet creates tokens.
    await eventually(async () => (await tokenOf(1)).status === 429);
    const known = await countTokens();
    expect((await service.ask('POST', `${at}/tokens`, { max_leases: known + 7 })).status).toBe(204);
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => tokenOf(n)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(17);
    expect(refused[0]?.errors).toEqual([`lease count quota exceeded: "tokens" allows ${known + 7}`]);
    expect((await service.ask('GET', `${at}/tokens`)).data).toMatchObject({
      type: 'lease-count',
      counter: known + 7,
      max_leases: known + 7,
    });
    const made = String(Object(answers.find(({ status }) => status === 200)?.body['auth'])['client_token']);
    await service.ask('POST', 'auth/token/revoke-self', {}, { headers: { 'x-service-token': made } });
    expect((await tokenOf(0)).status).toBe(200);
    expect((await tokenOf(0)).status).toBe(429);
    // A token that does not expire is not a lease.
    expect((await service.ask('POST', 'auth/token/create', { ttl: 0 })).status).toBe(200);
  });

  test.each([
    [{}, "'max_leases' is invalid"],
    [{ max_leases: -1 }, "'max_leases' is invalid"],
    [{ max_leases: 1.5 }, 'max_leases'],
    [{ max_leases: 5, path: 'auth/token', role: 'ci' }, 'role'],
  ])('%j is a bad request', async (body, text) => {
    const answer = await service.ask('POST', `${at}/bad`, body);
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain(text);
  });

  async function countTokens(): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from tokens where expire_at > now()`.execute(
      service.store.db,
    );
    return rows[0]?.n ?? 0;
  }
});
