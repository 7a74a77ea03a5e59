import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { spaceOf } from '../../namespaces/spaces.ts';
import { roleOf, verified } from './setup.ts';

const service = serviceOf([]);

test('a namespace has its own issuer, keys and roles, and they end with it', async () => {
  const space = await spaceOf(service);
  const outside = await roleOf(service, {}, { client_id: 'same' });
  await space.ask('POST', 'identity/oidc/key/inner', { algorithm: 'ES256', allowed_client_ids: '*' });
  await space.ask('POST', 'identity/oidc/role/inner', { key: 'inner', client_id: 'same' });
  expect((await space.ask('POST', 'identity/oidc/role/other', { key: outside })).errors).toEqual([
    `cannot find key "${outside}"`,
  ]);
  expect((await space.ask('LIST', 'identity/oidc/role')).data['keys']).toEqual(['inner']);
  expect((await service.ask('GET', 'identity/oidc/role/inner')).status).toBe(404);

  await space.ask('PUT', 'sys/policies/acl/tokens', {
    policy: 'path "identity/oidc/token/*" { capabilities = ["read"] }',
  });
  await space.ask('POST', 'auth/token/roles/alias', { allowed_entity_aliases: '*', orphan: true });
  const made = await space.ask('POST', 'auth/token/create/alias', { entity_alias: 'ada', policies: ['tokens'] });
  const { client_token, entity_id } = Object(made.body['auth']);
  const { data } = await space.ask('GET', 'identity/oidc/token/inner', undefined, client_token);
  const token = String(data['token']);
  const claims = await verified(token, space.path);
  expect(claims).toMatchObject({ sub: entity_id, iss: `${service.address}/v1/${space.path}identity/oidc` });
  expect(claims['namespace']).not.toBe('root');
  const introspect = (ask: typeof space.ask) => ask('POST', 'identity/oidc/introspect', { token });
  expect((await introspect(space.ask)).body).toEqual({ active: true });
  expect((await introspect((method, path, body) => service.ask(method, path, body))).body).toMatchObject({
    active: false,
  });

  expect((await service.ask('DELETE', `sys/namespaces/${space.path.slice(0, -1)}`)).status).toBeLessThan(300);
  await expect
    .poll(async () => {
      await service.sweep();
      const { rows } = await sql`
        select 1 from oidc_keys where namespace_id = ${claims['namespace']}
        union all select 1 from oidc_key_versions where namespace_id = ${claims['namespace']}
        union all select 1 from oidc_roles where namespace_id = ${claims['namespace']}`.execute(service.store.db);
      return rows.length;
    })
    .toBe(0);
});
