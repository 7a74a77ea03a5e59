import { describe, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([]);
const alias = { headers: { 'x-vault-request': 'true' } };

describe('an unknown field of a write', () => {
  test('is named in a warning with the nearest known field and without its value', async () => {
    const role = `auth/token/roles/${service.name('role')}`;
    const answer = await service.ask('POST', role, { allowed_polices: ['marker-value'] });
    expect(answer).toMatchObject({
      status: 200,
      warnings: [
        'Endpoint ignored these unrecognized parameters: [allowed_polices]',
        'unknown field "allowed_polices" was ignored: the nearest known one is "allowed_policies"',
      ],
    });
    expect(answer.text).not.toContain('marker-value');
    expect((await service.ask('POST', role, { allowed_policies: ['a'] })).status).toBe(204);
  });

  test('is named in the vocabulary of the client', async () => {
    await service.ask('POST', 'sys/auth/orchestrator', { type: 'orchestrator' });
    const config = { orchestrator_host: 'https://example.com', token_reviewer_jwt: 'x' };
    const canonical = await service.ask('POST', 'auth/orchestrator/config', { ...config, orchestrator_ca_crt: 'x' });
    expect(canonical.warnings).toContainEqual(expect.stringContaining('nearest known one is "orchestrator_ca_cert"'));
    const known = await service.ask('POST', 'auth/orchestrator/config', { ...config, kubernetes_ca_crt: 'x' }, alias);
    expect(known.warnings).toContainEqual(expect.stringContaining('nearest known one is "kubernetes_ca_cert"'));
  });

  test('is named within the settings of a mount and in the query too', async () => {
    const path = `sys/mounts/${service.name('mount')}`;
    const mounted = await service.ask('POST', path, { type: 'kv', config: { default_lease_tll: '1h' } });
    expect(mounted).toMatchObject({ status: 200 });
    expect(mounted.warnings).toContainEqual(expect.stringContaining('"config.default_lease_ttl"'));
    const tuned = await service.ask('POST', `${path}/tune?description=x`, { options: null });
    expect(tuned.warnings).toContainEqual(expect.stringContaining('"description" was sent in the query'));
  });

  test('is named within the options of a secret, and check-and-set is not applied', async () => {
    for (const options of [{ csa: 0 }, { CAS: 0 }, { cas: 0, Cas: 5 }]) {
      const path = `secret/data/${service.name('options')}`;
      const { status, warnings } = await service.ask('POST', path, { data: { a: '1' }, options });
      expect([status, warnings]).toEqual([200, expect.arrayContaining([expect.stringContaining('"options.cas"')])]);
    }
    const written = { data: { a: '1' }, options: { cas: 0 } };
    expect((await service.ask('POST', `secret/data/${service.name('options')}`, written)).warnings).toEqual([]);
  });

  test('does not prevent the deletion of a secret by clients that send its versions', async () => {
    const path = `secret/data/${service.name('versions')}`;
    await service.ask('POST', path, { data: { a: '1' } });
    const { status, warnings } = await service.ask('DELETE', `${path}?versions=1`);
    expect([status, warnings]).toEqual([200, [expect.stringContaining('[versions]')]]);
    expect((await service.ask('GET', path)).status).toBe(404);
  });

  test('is not mentioned where clients of the family send it without effect', async () => {
    const sent = {
      type: 'kv',
      description: '',
      local: false,
      seal_wrap: false,
      external_entropy_access: false,
      options: null,
      config: { options: null, default_lease_ttl: '', max_lease_ttl: '', force_no_cache: false, plugin_version: '' },
    };
    expect((await service.ask('POST', `sys/mounts/${service.name('mount')}`, sent)).status).toBe(204);
  });

  test('is a key like any other where the body is free', async () => {
    await service.ask('POST', 'sys/mounts/free', { type: 'kv' });
    expect((await service.ask('POST', 'free/a', { anything: '1' })).status).toBe(204);
    expect((await service.ask('POST', 'cubbyhole/a', { anything: '1' })).status).toBe(204);
  });
});

describe('an unknown field that may be meant to narrow the effect is refused', () => {
  test.each<[string, string, object | undefined]>([
    ['POST', 'sys/sync/replay', { typ: 'cloud-a-sm' }],
    ['POST', 'sys/loggers', { name: 'queue', level: 'info' }],
    ['POST', 'sys/leases/tidy', { prefix: 'auth/x' }],
    ['POST', 'auth/token/tidy', { role: 'x' }],
    ['POST', 'auth/token/revoke-self', { accessor: 'x' }],
    ['POST', 'sys/namespaces/api-lock/lock', { namespace: 'x' }],
    ['POST', 'identity/entity/batch-delete', { entity_ids: [], ids: ['x'] }],
    ['DELETE', 'secret/metadata/x?versions=1', undefined],
    ['POST', 'sys/sync/replay?type=cloud-a-sm', {}],
  ])('%s %s %j', async (method, path, body) => {
    const answer = await service.ask(method, path, body);
    expect(answer).toMatchObject({
      status: 400,
      errors: [expect.stringMatching(/^unknown field ".*Nothing was done/s)],
    });
  });
});

test('a deletion at an unknown type is refused for its type, not for the fields that all types have', async () => {
  const { errors } = await service.ask('DELETE', 'sys/sync/destinations/cloud-z/x?purge=true');
  expect(errors.join()).toContain('unknown destination type "cloud-z"');
});

test('the error for an unknown type lists the known ones', async () => {
  const engine = await service.ask('POST', 'sys/mounts/x', { type: 'pki' });
  expect(engine.errors).toEqual([expect.stringMatching(/^plugin not found in the catalog: pki; expected kv/)]);
  const method = await service.ask('POST', 'sys/auth/x', { type: 'ldap' });
  expect(method.errors).toEqual([expect.stringMatching(/^plugin not found in the catalog: ldap; expected .*approle/)]);
});
