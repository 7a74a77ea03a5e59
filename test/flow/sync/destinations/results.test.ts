import { expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

const read = async (name: string, headers: Readonly<Record<string, string>> = {}) =>
  (await service.ask('GET', `sys/sync/destinations/${type}/${name}`, undefined, { headers })).data;

test('a read has the numbers of the syncs, the last success and the last error', async () => {
  const destination = await service.destination(type);
  expect(await read(destination)).toMatchObject({
    created_at: expect.any(String),
    updated_at: expect.any(String),
    total: 0,
    counts: {},
    errors: {},
    pending_since: null,
    last_success_at: null,
    last_error: null,
  });
  await service.set(type, destination, await service.secret({ v: '1' }));
  service.fake(type).fail({ kind: 'denied', times: 100 });
  await service.set(type, destination, await service.secret({ v: '2' }));
  service.fake(type).heal();
  await eventually(async () => (await read(destination))?.['total'] === 2);
  const data = await read(destination);
  expect(data).toMatchObject({
    counts: { SYNCED: 1, CLIENT_SIDE_ERROR: 1 },
    errors: { permission: 1 },
    last_success_at: expect.any(String),
    last_error: {
      kind: 'permission',
      message: expect.any(String),
      remedy: expect.any(String),
      external_request_id: expect.any(String),
      at: expect.any(String),
    },
  });
});

test('a change of the settings moves updated_at and leaves created_at', async () => {
  const destination = await service.destination(type);
  const before = await read(destination);
  await service.ask('PATCH', `sys/sync/destinations/${type}/${destination}`, { granularity: 'secret-key' });
  const after = await read(destination);
  expect(after['created_at']).toBe(before['created_at']);
  expect(Date.parse(String(after['updated_at']))).toBeGreaterThan(Date.parse(String(before['updated_at'])));
});

test('a caller who may not read the associations sees the settings only', async () => {
  const destination = await service.destination(type);
  const policy = service.name('reader');
  const path = `sys/sync/destinations/${type}/${destination}`;
  const rule = (path: string) => `path "${path}" { capabilities = ["read"] }`;
  await service.api.write(`sys/policies/acl/${policy}`, { policy: rule(path) });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [policy] });
  const { client_token } = body['auth'] as { readonly client_token: string };
  const reader = { 'x-service-token': client_token };
  const seen = await read(destination, reader);
  expect(seen).toMatchObject({ name: destination, created_at: expect.any(String) });
  for (const hidden of ['total', 'counts', 'errors', 'pending_since', 'last_success_at', 'last_error'])
    expect(seen).not.toHaveProperty(hidden);
  await service.api.write(`sys/policies/acl/${policy}`, { policy: rule(path) + rule(`${path}/associations`) });
  expect(await read(destination, reader)).toMatchObject({ total: 0, last_error: null });
});
