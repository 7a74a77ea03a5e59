import { expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { holderOf } from '#test/support/flow/holders.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);

const rule = (capability: string) => ({ policy: `path "secret/data/shared" { capabilities = ["${capability}"] }` });

test('a change of a policy in one process applies to the next request in another', async () => {
  const { token, policy } = await holderOf(service, rule('deny').policy);
  const there = async () =>
    (await ask({ address: other.address, token, method: 'GET', path: 'secret/data/shared' })).status;
  for (let round = 0; round < 20; round += 1) {
    expect(await there()).toBe(403);
    await service.ask('PUT', `sys/policies/acl/${policy}`, rule('read'));
    expect(await there()).toBe(404);
    await service.ask('PUT', `sys/policies/acl/${policy}`, rule('deny'));
  }
  expect(await there()).toBe(403);
  await service.ask('PUT', `sys/policies/acl/${policy}`, rule('read'));
  expect(await there()).toBe(404);
  await service.ask('DELETE', `sys/policies/acl/${policy}`);
  expect(await there()).toBe(403);
});

test('a change among many concurrent requests applies to all requests after it', async () => {
  const { token, policy } = await holderOf(service, rule('read').policy);
  const statuses = () =>
    Promise.all(
      [other.address, service.address].flatMap((at) =>
        Array.from({ length: 30 }, async () => {
          return (await ask({ address: at, token, method: 'GET', path: 'secret/data/shared' })).status;
        }),
      ),
    );
  for (const [capability, status] of [
    ['deny', 403],
    ['read', 404],
    ['deny', 403],
  ] as const) {
    const before = statuses();
    await service.ask('PUT', `sys/policies/acl/${policy}`, rule(capability));
    expect(new Set(await statuses())).toEqual(new Set([status]));
    await before;
  }
});

test('a revoked token is refused at the next request on another process', async () => {
  const { token } = await holderOf(
    service,
    'path "auth/token/revoke-self" { capabilities = ["update"] } path "secret/data/a" { policy = "read" }',
  );
  const there = async () => (await ask({ address: other.address, token, method: 'GET', path: 'secret/data/a' })).status;
  expect(await there()).toBe(404);
  await service.ask('POST', 'auth/token/revoke-self', {}, { headers: { 'x-service-token': token } });
  expect(await there()).toBe(403);
});
