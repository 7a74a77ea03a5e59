import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedProvider, startScriptedProvider } from '#test/support/auth/scripted-provider.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { begin, configFor, done, listener, mounted } from './ground.ts';

const service = serviceOf([]);
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startScriptedProvider();
});
afterAll(() => provider.close());

test('the client secret is encrypted at rest and never shown', async () => {
  const path = await mounted(service, provider);
  const { data, text } = await done(service.ask('GET', `auth/${path}/config`));
  expect(data).toMatchObject({ oidc_client_id: 'keyferry', namespace_in_state: true, provider_config: {} });
  expect(data).not.toHaveProperty('oidc_client_secret');
  expect(text).not.toContain(provider.clientSecret);
  const rows = await service.store.db.selectFrom('auth_configs').select('config').execute();
  expect(rows.some(({ config }) => config.includes(provider.clientSecret))).toBe(false);
});

test('where the namespace goes is kept by a write that does not name it', async () => {
  const path = await mounted(service, provider, { config: { namespace_in_state: false } });
  const shown = async () => (await service.ask('GET', `auth/${path}/config`)).data['namespace_in_state'];
  await done(service.ask('POST', `auth/${path}/config`, configFor(provider)));
  expect(await shown()).toBe(false);
  await done(service.ask('POST', `auth/${path}/config`, { ...configFor(provider), namespace_in_state: true }));
  expect(await shown()).toBe(true);
});

test.each([
  [{ oidc_client_secret: '' }, "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC"],
  [{ oidc_client_id: '' }, "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC"],
  [
    { oidc_discovery_url: '', oidc_discovery_ca_pem: '', jwks_url: 'https://x' },
    "'oidc_discovery_url' must be set for OIDC",
  ],
  [{ oidc_response_mode: 'fragment' }, 'invalid \'oidc_response_mode\': "fragment"'],
  [{ oidc_response_types: ['token'] }, "invalid 'oidc_response_types'"],
  [{ oidc_response_types: 'id_token' }, 'query response_mode may not be used with an id_token response_type'],
  [{ provider_config: { provider: 'azure' } }, 'settings for one provider are not supported'],
])('a configuration %j is refused', async (changes, text) => {
  const path = await mounted(service, provider);
  const { status, errors } = await service.ask('POST', `auth/${path}/config`, { ...configFor(provider), ...changes });
  expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

test.each([
  [{ allowed_redirect_uris: [] }, "'allowed_redirect_uris' must be set"],
  [{ allowed_redirect_uris: ['no uri'] }, "entry 1 of 'allowed_redirect_uris' is not a URI without a fragment"],
  [{ allowed_redirect_uris: [listener, 'https://a.test/#x'] }, "entry 2 of 'allowed_redirect_uris'"],
  [{ oidc_scopes: ['a b'] }, "'oidc_scopes'"],
  [{ poll_interval: 61 }, "'poll_interval'"],
  [{ callback_mode: 'x' }, "invalid 'callback_mode'"],
  [{ role_type: 'x' }, "invalid 'role_type'"],
  [{ user_claim: '' }, 'a user claim must be defined on the role'],
])('a role %j is refused', async (changes, text) => {
  const path = await mounted(service, provider);
  const role = { user_claim: 'sub', allowed_redirect_uris: listener, ...changes };
  const { status, errors } = await service.ask('POST', `auth/${path}/role/other`, role);
  expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
});

test('a role has the type of its mount unless it says otherwise', async () => {
  const path = await mounted(service, provider, { role: { poll_interval: 7 } });
  const { data } = await done(service.ask('GET', `auth/${path}/role/dev`));
  expect(data).toMatchObject({
    role_type: 'oidc',
    allowed_redirect_uris: [listener],
    oidc_scopes: [],
    callback_mode: 'client',
    poll_interval: 7,
    verbose_oidc_logging: false,
  });
  const tokens = service.name('j');
  await done(service.ask('POST', `sys/auth/${tokens}`, { type: 'jwt' }));
  await done(service.ask('POST', `auth/${tokens}/role/ci`, { user_claim: 'sub', bound_audiences: 'a' }));
  expect((await done(service.ask('GET', `auth/${tokens}/role/ci`))).data).toMatchObject({ role_type: 'jwt' });
});

test('logins that wait are bounded by mount and by namespace, and the oldest goes first', async () => {
  const [path, other] = [await mounted(service, provider), await mounted(service, provider)];
  const fill = (name: string, count: number) =>
    sql`
    insert into browser_logins (state_hash, mount_id, namespace_id, stage, polled, login, next_poll_at, expire_at)
    select decode(md5(${name} || n), 'hex'), m.id, m.namespace_id, 'open', false, ''::bytea, now(), now() + n * interval '10 ms'
      from mounts m, generate_series(1, ${count}::int) n where m.path = ${`auth/${name}/`}`.execute(service.store.db);
  const oldest = (name: string) =>
    service.store.db
      .selectFrom('browser_logins')
      .select('state_hash')
      .where('state_hash', '=', sql<Buffer>`decode(md5(${name} || 1), 'hex')`)
      .execute();
  const count = async (name?: string) => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from browser_logins b join mounts m on m.id = b.mount_id
       where ${name ?? null}::text is null or m.path = ${`auth/${name}/`}`.execute(service.store.db);
    return rows[0]?.n;
  };
  await sql`delete from browser_logins`.execute(service.store.db);
  await fill(path, 2_500);
  await done(begin(service, path));
  expect([await count(path), await oldest(path)]).toEqual([2_500, []]);
  await fill(other, 2_500);
  await done(begin(service, path));
  expect(await count()).toBeLessThanOrEqual(5_000);
});
