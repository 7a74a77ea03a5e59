import { describe, expect, test } from 'vitest';
import { ask } from '../../support/flow/calls/ask.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

// Requests to sys/ that clients and Terraform providers of the API family send in addition to those for secrets.
const service = serviceOf([]);
const withoutToken = (path: string) =>
  ask({ address: service.address, token: '', method: 'GET', path, headers: { 'x-service-token': undefined } });

test('an auth mount is read below sys/mounts, where Terraform expects it', async () => {
  await service.ask('POST', 'sys/auth/people', { type: 'userpass', description: 'for people' });
  const there = await service.ask('GET', 'sys/mounts/auth/people');
  expect(there).toMatchObject({ status: 200, data: { type: 'userpass', description: 'for people' } });
  expect(there.data).toEqual((await service.ask('GET', 'sys/auth/people')).data);
  expect(await service.ask('GET', 'sys/mounts/auth/nothing')).toMatchObject({
    status: 400,
    errors: ['No secret engine mount at auth/nothing/'],
  });
  expect((await service.ask('GET', 'sys/mounts')).data).not.toHaveProperty('auth/people/');
});

describe('a rate limit', () => {
  const at = 'sys/quotas/rate-limit/grouped';

  test('shows how it groups clients, and stores that setting', async () => {
    await service.ask('POST', at, { rate: 5 });
    expect((await service.ask('GET', at)).data).toMatchObject({ group_by: 'ip' });
    expect((await service.ask('POST', at, { rate: 5, group_by: 'none' })).status).toBe(204);
    expect((await service.ask('GET', at)).data).toMatchObject({ group_by: 'none', rate: 5 });
    await service.ask('POST', at, { rate: 6 });
    expect((await service.ask('GET', at)).data).toMatchObject({ group_by: 'none', rate: 6 });
    await service.ask('DELETE', at);
  });

  test.each(['entity_then_ip', 'colour'])('refuses to group by %s', async (group_by) => {
    const { status, errors } = await service.ask('POST', at, { rate: 5, group_by });
    expect([status, errors.join()]).toEqual([400, expect.stringContaining("'group_by'")]);
  });

  test.each([
    ['same/*', 'same/*'],
    ['same', 'same/'],
    ['same/data/a', 'same/data/a'],
  ])('of the path %s reads %s', async (path, read) => {
    await service.ask('POST', 'sys/mounts/same', { type: 'kv' });
    expect((await service.ask('POST', at, { rate: 1_000, path })).status).toBe(204);
    expect((await service.ask('GET', at)).data).toMatchObject({ path: read });
    await service.ask('DELETE', at);
  });
});

describe('a policy', () => {
  const write = (policy: string) => service.ask('POST', 'sys/policies/acl/odd', { policy });

  test('with unsupported members is accepted with a warning that names them', async () => {
    const answer = await write(`path "a" {
      capabilities = ["read", "subscribe"]
      subscribe_event_types = ["kv*"]
      control_group = { factor "ops" { identity { group_names = ["ops"] approvals = 1 } } }
    }`);
    expect(answer.status).toBe(200);
    expect(answer.warnings.join()).toMatch(/"control_group", "subscribe_event_types"/);
    expect((await write('path "a" { capabilities = ["read"] }')).warnings).toEqual([]);
  });

  test.each([
    ['path "a/{{identity.entity.id" { capabilities = ["read"] }', 'is not closed'],
    ['path "a" { min_wrapping_ttl = "2h" max_wrapping_ttl = "1h" }', 'max_wrapping_ttl'],
  ])('%s is refused', async (policy, why) => {
    const { status, errors } = await write(policy);
    expect([status, errors.join()]).toEqual([400, expect.stringContaining(why)]);
  });
});

test('mountable types are listed as built-in plugins', async () => {
  const all = await service.ask('GET', 'sys/plugins/catalog');
  expect(all.status).toBe(200);
  expect(all.data).toMatchObject({
    auth: expect.arrayContaining(['approle', 'jwt', 'oidc', 'userpass']),
    secret: expect.arrayContaining(['kv']),
    database: [],
  });
  expect(all.data['detailed']).toContainEqual(
    expect.objectContaining({ name: 'userpass', type: 'auth', builtin: true }),
  );
  expect((await service.ask('LIST', 'sys/plugins/catalog/auth')).data['keys']).toEqual(all.data['auth']);
  expect((await service.ask('GET', 'sys/plugins/catalog/auth/userpass')).data).toMatchObject({
    name: 'userpass',
    builtin: true,
  });
  expect((await service.ask('GET', 'sys/plugins/catalog/auth/nothing')).status).toBe(404);
});

test('the replication state and the flags of the user interface are readable without a token', async () => {
  expect(await withoutToken('sys/replication/status')).toMatchObject({
    status: 200,
    data: { dr: { mode: 'disabled' }, performance: { mode: 'disabled' } },
  });
  const flags = await withoutToken('sys/internal/ui/feature-flags');
  expect([flags.status, flags.body]).toEqual([200, { feature_flags: [] }]);
});
