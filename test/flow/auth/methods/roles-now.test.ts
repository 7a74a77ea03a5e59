import { beforeAll, describe, expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { disable, fileDevice, linesOf } from '../../audit/log.ts';
import { holderIn } from '../../namespaces/spaces.ts';

// The effect of roles on existing tokens, and the audit record of writes that create something.
const service = serviceOf([]);
const other = otherProcessOf(service);

const password = 'open sesame';
const as = (token: string) => ({ headers: { 'x-service-token': token } });

async function login(mount: string, name: string): Promise<string> {
  const { body } = await service.ask('POST', `auth/${mount}/login/${name}`, { password });
  return (body['auth'] as { client_token: string }).client_token;
}

describe('a batch token of a login', () => {
  const isLetIn = async (token: string, address: string) =>
    (await ask({ address, token, method: 'GET', path: 'auth/token/lookup-self' })).status === 200;

  test.each([
    ['disabled', 'DELETE', (mount: string) => `sys/auth/${mount}`, undefined],
    ['moved', 'POST', () => 'sys/remount', (mount: string) => ({ from: `auth/${mount}`, to: `auth/${mount}-moved` })],
  ] as const)('ends in every process when its method is %s', async (_what, method, path, body) => {
    const mount = service.name('batches');
    await service.api.write(`sys/auth/${mount}`, { type: 'userpass', config: { token_type: 'batch' } });
    await service.api.write(`auth/${mount}/users/ann`, { password });
    const token = await login(mount, 'ann');
    expect(token).toMatch(/^hvb\./);
    expect([await isLetIn(token, service.address), await isLetIn(token, other.address)]).toEqual([true, true]);
    expect((await service.ask(method, path(mount), body?.(mount))).status).toBeLessThan(300);
    expect([await isLetIn(token, service.address), await isLetIn(token, other.address)]).toEqual([false, false]);
  });
});

describe('a renewal follows the present role of the login', () => {
  beforeAll(async () => {
    await service.api.write('sys/auth/people', { type: 'userpass' });
  });
  const user = (name: string, settings: object) =>
    service.api.write(`auth/people/users/${name}`, { password, ...settings });
  const renew = (token: string, increment: string) =>
    service.ask('POST', 'auth/token/renew-self', { increment }, as(token));
  const leaseOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    (body['auth'] as { readonly lease_duration: number }).lease_duration;

  test('with its maximum lifetime, which is not an explicit maximum of the token', async () => {
    await user('max', { token_ttl: '10m', token_max_ttl: '1h' });
    const token = await login('people', 'max');
    expect((await service.ask('GET', 'auth/token/lookup-self', undefined, as(token))).data).toMatchObject({
      explicit_max_ttl: 0,
    });
    expect(leaseOf(await renew(token, '5h'))).toBeLessThanOrEqual(3_600);
    await user('max', { token_max_ttl: '2h' });
    const longer = leaseOf(await renew(token, '5h'));
    expect(longer).toBeGreaterThan(3_600);
    expect(longer).toBeLessThanOrEqual(7_200);
  });

  test('with its period', async () => {
    await user('period', { token_period: '10m' });
    const token = await login('people', 'period');
    await user('period', { token_period: '20m' });
    expect(leaseOf(await renew(token, '5h'))).toBe(1_200);
  });

  test('and is refused without it', async () => {
    await user('gone', {});
    const token = await login('people', 'gone');
    expect((await service.ask('DELETE', 'auth/people/users/gone')).status).toBe(204);
    expect(await renew(token, '1h')).toMatchObject({ status: 400 });
  });
});

test('a write that is allowed as a creation is recorded as such', async () => {
  const { device, file } = await fileDevice(service);
  const path = `secret/data/${service.name('new')}`;
  const { client_token } = await holderIn(
    service,
    { ask: (...asked) => service.ask(...(asked.slice(0, 3) as [string, string, unknown])) },
    `path "${path}" { capabilities = ["create"] }`,
  );
  const write = () => service.ask('POST', path, { data: { a: 'b' } }, as(client_token));
  expect([(await write()).status, (await write()).status]).toEqual([200, 403]);
  await disable(service, device);
  const lines = (await linesOf(file)).filter(({ request }) => request['path'] === path);
  expect(lines.map(({ type, request }) => [type, request['operation']])).toEqual([
    ['request', 'create'],
    ['response', 'create'],
    ['request', 'update'],
    ['response', 'update'],
  ]);
});
