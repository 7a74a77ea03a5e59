import { afterEach, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { disable, fileDevice, linesOf } from '../audit/log.ts';

// The connections of the tests come from 127.0.0.1, which acts as the proxy.
const service = serviceOf([], { KEYFERRY_TRUSTED_PROXIES: '127.0.0.0/8,::1' });
const enabled: string[] = [];

afterEach(async () => {
  for (const device of enabled.splice(0)) await disable(service, device);
});

const from = (forwarded: string, token?: string) => ({
  headers: { 'x-forwarded-for': forwarded, ...(token === undefined ? {} : { 'x-service-token': token }) },
});

test('a token bound to addresses is accepted only from those clients behind a trusted proxy', async () => {
  const role = service.name('bound');
  await service.api.write(`auth/token/roles/${role}`, {
    allowed_policies: ['default'],
    token_bound_cidrs: ['198.51.100.0/24'],
  });
  const { body } = await service.ask(
    'POST',
    `auth/token/create/${role}`,
    { policies: ['default'] },
    from('198.51.100.7'),
  );
  const token = String(Reflect.get(Object(body['auth']), 'client_token'));
  for (const [forwarded, status] of [
    ['198.51.100.7', 200],
    ['203.0.113.1', 403],
    ['198.51.100.7, 203.0.113.1', 403],
    ['203.0.113.1, 198.51.100.7', 200],
  ] as const) {
    const answer = await service.ask('GET', 'auth/token/lookup-self', undefined, from(forwarded, token));
    expect([forwarded, answer.status]).toEqual([forwarded, status]);
  }
});

test('the audit file shows the client instead of its proxy', async () => {
  const { device, file } = await fileDevice(service);
  enabled.push(device);
  await service.ask('GET', 'secret/data/forwarded', undefined, from('6.6.6.6, 198.51.100.7'));
  const lines = (await linesOf(file)).filter(({ request }) => request['path'] === 'secret/data/forwarded');
  expect(lines.map(({ request }) => request['remote_address'])).toEqual(['198.51.100.7', '198.51.100.7']);
});

test('a rate limit counts clients behind one proxy separately', async () => {
  const name = service.name('limit');
  await service.api.write(`sys/quotas/rate-limit/${name}`, { path: 'cubbyhole/', rate: 1, interval: '60s' });
  const statuses = async (forwarded: string) => {
    const answers = [];
    for (let index = 0; index < 3; index += 1)
      answers.push((await service.ask('GET', 'cubbyhole/none', undefined, from(forwarded))).status);
    return answers;
  };
  expect(await statuses('198.51.100.7')).toEqual([404, 429, 429]);
  // An address that the client itself claims, before the one that its proxy adds, does not make it another client.
  expect(await statuses('192.0.2.200, 198.51.100.7')).toEqual([429, 429, 429]);
  expect(await statuses('198.51.100.8')).toEqual([404, 429, 429]);
  await service.ask('DELETE', `sys/quotas/rate-limit/${name}`);
});
