import { describe, expect, test } from 'vitest';
import { denied, holderOf } from '#test/support/flow/holders.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

const writer = (rules: string) =>
  holderOf(service, `path "auth/userpass/users/+" { capabilities = ["create", "update"] ${rules} }`);

describe('parameters in the rules of a policy', () => {
  test.each<[string, object]>([
    [
      'allowed_parameters = { "*" = [], token_policies = ["safe"] }',
      { token_policies: 'admin', TOKEN_POLICIES: 'safe' },
    ],
    [
      'allowed_parameters = { "*" = [], token_policies = ["safe"] }',
      { TOKEN_POLICIES: 'safe', token_policies: 'admin' },
    ],
    ['allowed_parameters = { "*" = [], token_policies = ["safe"] }', { token_policies: 'safe,admin' }],
    ['allowed_parameters = { "*" = [], token_policies = ["safe"] }', { policies: 'admin' }],
    ['denied_parameters = { token_policies = ["admin*"] }', { token_policies: ['admin'] }],
    ['denied_parameters = { token_policies = ["admin*"] }', { token_policies: 'x,admin' }],
    ['denied_parameters = { token_policies = ["admin*"] }', { token_policies: ['x', 'admin'] }],
    ['denied_parameters = { token_policies = ["admin*"] }', { token_policies: ['ADMIN'] }],
    ['denied_parameters = { token_policies = ["admin*"] }', { policies: ['admin'] }],
    ['denied_parameters = { token_ttl = ["1h"] }', { token_ttl: 3_600 }],
    ['required_parameters = ["token_policies"]', { TOKEN_POLICIES: 'safe' }],
  ])('%s refuse %j', async (rules, fields) => {
    await service.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
    const { ask } = await writer(rules);
    const user = service.name('user');
    expect(await ask('POST', `auth/userpass/users/${user}`, { password: 'long-enough', ...fields })).toMatchObject(
      denied,
    );
    expect((await service.ask('GET', `auth/userpass/users/${user}`)).status).toBe(404);
  });

  test('are allowed element by element', async () => {
    await service.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
    const { ask } = await writer('allowed_parameters = { password = [], token_policies = ["dev", "dev-*"] }');
    for (const token_policies of [['dev'], 'dev,dev-1', ['dev-1', 'dev-2'], []]) {
      const user = `auth/userpass/users/${service.name('user')}`;
      expect((await ask('POST', user, { password: 'long-enough', token_policies })).status).toBe(204);
    }
  });

  test('are refused under the alias for existing clients', async () => {
    await service.ask('POST', 'sys/auth/orchestrator', { type: 'orchestrator' });
    const rules = 'denied_parameters = { orchestrator_host = ["https://10.*"] }';
    const { ask } = await holderOf(service, `path "auth/orchestrator/config" { capabilities = ["update"] ${rules} }`);
    const sent = { kubernetes_host: 'https://10.0.0.1' };
    expect(await ask('POST', 'auth/orchestrator/config', sent)).toMatchObject(denied);
    const both = { orchestrator_host: 'https://example.com', ...sent };
    expect(await ask('POST', 'auth/orchestrator/config', both)).toMatchObject(denied);
    expect(await service.ask('POST', 'auth/orchestrator/config', both)).toMatchObject({
      status: 400,
      errors: [expect.stringContaining('the field "orchestrator_host" was sent twice')],
    });
  });

  test('of a query are checked like those of a body', async () => {
    const { ask } = await holderOf(
      service,
      'path "sys/internal/specs/openapi" { capabilities = ["read"] denied_parameters = { context = ["x"] } }',
    );
    expect(await ask('GET', 'sys/internal/specs/openapi?context=x')).toMatchObject(denied);
    expect(await ask('GET', 'sys/internal/specs/openapi?CONTEXT=x')).toMatchObject(denied);
    expect(await ask('GET', 'sys/internal/specs/openapi?context=y,x')).toMatchObject(denied);
    const twice = await service.ask('GET', 'sys/internal/specs/openapi?context=x&Context=y');
    expect(twice).toMatchObject({ status: 400, errors: [expect.stringContaining('was sent twice')] });
  });

  test('may be in the body or in the query, not in both', async () => {
    const answer = await service.ask('POST', 'auth/token/create?TTL=1h', { ttl: '1m' });
    expect(answer).toMatchObject({ status: 400, errors: [expect.stringContaining('in the body and in the query')] });
  });
});

test('a secret can have keys that differ in case', async () => {
  await service.ask('POST', 'sys/mounts/plain', { type: 'kv' });
  expect((await service.ask('POST', 'plain/a', { Key: '1', key: '2' })).status).toBe(204);
  expect((await service.ask('GET', 'plain/a')).data).toEqual({ Key: '1', key: '2' });
});
