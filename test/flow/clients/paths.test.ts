import { expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([]);
const unsupported = { status: 404, errors: [expect.stringContaining('unsupported path')] };

test.each<[string, object]>([
  ['sys/mounts/name.', { type: 'kv' }],
  ['sys/mounts/a/name.', { type: 'kv' }],
  ['sys/auth/name.', { type: 'userpass' }],
  ['sys/policies/acl/name.', { policy: 'path "a" { policy = "read" }' }],
  ['sys/policy/name.', { policy: 'path "a" { policy = "read" }' }],
  ['sys/policies/password/name.', { policy: 'length = 20' }],
  ['sys/namespaces/name.', {}],
  ['sys/audit/name.', { type: 'file', options: { file_path: '/dev/null' } }],
  ['sys/quotas/rate-limit/name.', { rate: 1_000 }],
  ['auth/token/roles/name.', {}],
])('%s is not a valid path: a name cannot end in a period', async (path, body) => {
  for (const method of ['GET', 'POST', 'DELETE'])
    expect(await service.ask(method, path, method === 'POST' ? body : undefined)).toMatchObject(unsupported);
});

test('a secret may have any name', async () => {
  expect((await service.ask('POST', 'secret/data/name.', { data: { a: '1' } })).status).toBe(200);
  expect((await service.ask('GET', 'secret/data/name.')).data).toMatchObject({ data: { a: '1' } });
});
