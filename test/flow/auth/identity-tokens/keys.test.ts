import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { json, roleOf } from './setup.ts';

const service = serviceOf([]);
const write = (path: string, body: object = {}) => service.ask('POST', `identity/oidc/${path}`, body);
const read = (path: string) => service.ask('GET', `identity/oidc/${path}`);

const published = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  Object(await json(`${service.address}/v1/identity/oidc/.well-known/keys`)).keys;

/** The stored versions of a key, by their state. */
async function versions(name: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await sql<{ id: string; state: string }>`
    select id::text as id, state from oidc_key_versions where key = ${name}`.execute(service.store.db);
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ state }) => state)].map(([at, of]) => [at, of.map(({ id }) => id)]),
  );
}

describe('a key', () => {
  test('has the defaults of the API family, and keeps what a change omits', async () => {
    const name = service.name('key');
    expect((await write(`key/${name}`)).status).toBe(204);
    const fresh = { algorithm: 'RS256', rotation_period: 86_400, verification_ttl: 86_400, allowed_client_ids: [] };
    expect((await read(`key/${name}`)).data).toEqual(fresh);
    await write(`key/${name}`, { rotation_period: '5h', allowed_client_ids: 'a,b' });
    await write(`key/${name}`, { verification_ttl: '2h' });
    const changed = { ...fresh, rotation_period: 18_000, verification_ttl: 7_200, allowed_client_ids: ['a', 'b'] };
    expect((await read(`key/${name}`)).data).toEqual(changed);
    expect((await service.ask('LIST', 'identity/oidc/key')).data['keys']).toEqual(
      expect.arrayContaining(['default', name]),
    );
    expect((await service.ask('DELETE', `identity/oidc/key/${name}`)).status).toBe(204);
    expect((await read(`key/${name}`)).status).toBe(404);
    expect((await service.ask('DELETE', `identity/oidc/key/${name}`)).status).toBe(204);
  });

  test('named default is always there, allows every client and cannot be deleted', async () => {
    expect((await read('key/default')).data).toMatchObject({ algorithm: 'RS256', allowed_client_ids: ['*'] });
    expect((await write('role/of-default', { key: 'default' })).status).toBe(204);
    expect((await versions('default'))['signing']).toHaveLength(1);
    expect(await service.ask('DELETE', 'identity/oidc/key/default')).toMatchObject({
      status: 400,
      errors: ['deletion of key "default" not allowed'],
    });
  });

  test.each([
    [{ algorithm: 'HS256' }, 'unknown signing algorithm "HS256"'],
    [{ algorithm: 'none' }, 'unknown signing algorithm "none"'],
    [{ rotation_period: 59 }, 'rotation_period must be at least one minute'],
    [{ rotation_period: 60, verification_ttl: 601 }, 'verification_ttl cannot be longer than 10x rotation_period'],
    [{ rotation_period: 315_360_001 }, 'rotation_period may be at most 315360000 seconds'],
    [{ rotation_period: 90_071_992_547, verification_ttl: 1 }, 'rotation_period may be at most 315360000 seconds'],
  ])('with %j is refused and not created', async (body, error) => {
    const name = service.name('bad');
    expect(await write(`key/${name}`, body)).toMatchObject({ status: 400, errors: [error] });
    expect((await read(`key/${name}`)).status).toBe(404);
  });

  test('in use is not deleted, and covers the tokens of its roles', async () => {
    const name = await roleOf(service, { rotation_period: '2h', verification_ttl: '2h' }, { ttl: '1h' });
    expect(await service.ask('DELETE', `identity/oidc/key/${name}`)).toMatchObject({
      status: 400,
      errors: [`unable to delete key "${name}" because it is currently referenced by these roles: ${name}`],
    });
    const short = await write(`key/${name}`, { verification_ttl: 3_599 });
    expect(short).toMatchObject({ status: 400, errors: [expect.stringContaining('greater than 3599 seconds')] });
    expect((await write(`key/${name}`, { verification_ttl: 3_600 })).status).toBe(204);
  });

  test.each(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'of %s publishes its present and its next public key, and nothing private',
    async (algorithm) => {
      const name = await roleOf(service, { algorithm });
      const { signing = [], next = [] } = await versions(name);
      const shown = (await published()).filter(({ kid }) => [...signing, ...next].includes(String(kid)));
      expect(shown).toHaveLength(2);
      for (const key of shown) {
        expect(key).toMatchObject({ alg: algorithm, use: 'sig', kty: expect.any(String) });
        expect(Object.keys(key)).not.toEqual(expect.arrayContaining(['d']));
      }
      const { rows } = await sql<{ text: string }>`
      select encode(private_key, 'escape') as text from oidc_key_versions where key = ${name}`.execute(
        service.store.db,
      );
      for (const { text } of rows) expect(text).not.toMatch(/"d"|"kty"/);
    },
  );

  test('without a role is not published', async () => {
    const name = service.name('unused');
    await write(`key/${name}`, { algorithm: 'EdDSA' });
    const ids = Object.values(await versions(name)).flat();
    expect(ids).toHaveLength(2);
    expect((await published()).filter(({ kid }) => ids.includes(String(kid)))).toEqual([]);
  });
});

describe('a rotation', () => {
  test('uses the published next key, keeps the former public key and forgets its private key', async () => {
    const name = await roleOf(service);
    const before = await versions(name);
    expect((await write(`key/${name}/rotate`)).status).toBe(204);
    const after = await versions(name);
    expect(after['signing']).toEqual(before['next']);
    expect(after['retired']).toEqual(before['signing']);
    expect(after['next']).not.toEqual(before['next']);
    const { rows } = await sql<{ sealed: Buffer | null }>`
      select private_key as sealed from oidc_key_versions where key = ${name} and state = 'retired'`.execute(
      service.store.db,
    );
    expect(rows).toEqual([{ sealed: null }]);
    const kids = (await published()).map(({ kid }) => kid);
    expect(kids).toEqual(expect.arrayContaining(Object.values(after).flat()));
  });

  test('with its own time ends the former public key, which the sweep deletes', async () => {
    const name = await roleOf(service);
    const [former] = (await versions(name))['signing'] ?? [];
    await write(`key/${name}/rotate`, { verification_ttl: 0 });
    expect((await published()).map(({ kid }) => kid)).not.toContain(former);
    await service.sweep();
    expect(Object.values(await versions(name)).flat()).not.toContain(former);
  });

  test('by a new algorithm takes effect at once', async () => {
    const name = await roleOf(service);
    const before = await versions(name);
    await write(`key/${name}`, { algorithm: 'EdDSA' });
    const after = await versions(name);
    expect(after['retired']).toEqual(before['signing']);
    const { rows } = await sql<{ algorithm: string }>`
      select distinct algorithm from oidc_key_versions where key = ${name} and state <> 'retired'`.execute(
      service.store.db,
    );
    expect(rows).toEqual([{ algorithm: 'EdDSA' }]);
  });

  test('of an unknown key is refused', async () => {
    const answer = await write('key/nowhere/rotate');
    expect(answer).toMatchObject({ status: 400, errors: ['no named key found at "nowhere"'] });
  });

  test('is bounded: a key has a limited number of retired public keys', async () => {
    const name = await roleOf(service, { algorithm: 'EdDSA' });
    for (let count = 0; count < 32; count += 1) expect((await write(`key/${name}/rotate`)).status).toBe(204);
    expect(await write(`key/${name}/rotate`)).toMatchObject({
      status: 400,
      errors: [expect.stringContaining('has 32 retired public keys')],
    });
    expect((await versions(name))['retired']).toHaveLength(32);
  });

  test('comes when it is due, once, whichever process comes first', async () => {
    const names = await Promise.all(Array.from({ length: 6 }, () => roleOf(service)));
    await sql`update oidc_keys set next_rotation_at = now() - interval '1 second' where name = any(${names})`.execute(
      service.store.db,
    );
    await Promise.all([service.sweep(), service.sweep(), service.sweep()]);
    for (const name of names) expect((await versions(name))['retired']).toHaveLength(1);
    await service.sweep();
    for (const name of names) expect((await versions(name))['retired']).toHaveLength(1);
  });
});

test('a namespace has a limited number of keys', async () => {
  const space = service.name('full');
  await service.ask('POST', `sys/namespaces/${space}`, {});
  const make = (name: string) => service.ask('POST', `${space}/identity/oidc/key/${name}`, { algorithm: 'EdDSA' });
  for (let count = 0; count < 100; count += 1) expect((await make(`k-${count}`)).status).toBe(204);
  expect(await make('one-more')).toMatchObject({ status: 400, errors: ['there are 100 keys already'] });
  expect((await service.ask('GET', `${space}/identity/oidc/key/one-more`)).status).toBe(404);
  expect((await make('k-1')).status).toBe(204);
});
