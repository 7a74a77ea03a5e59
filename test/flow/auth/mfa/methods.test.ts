import { sql } from 'kysely';
import { TOTP, URI } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { methodOf, peopleOf } from './setup.ts';

const service = serviceOf([]);
const people = peopleOf(service);
const byName = (name: string, more = '') => `sys/mfa/method/totp/${name}${more}`;
const asCaller = (token: string) => ({ headers: { 'x-service-token': token } });

const settings = {
  issuer: 'Keyferry',
  period: 30,
  key_size: 20,
  qr_size: 200,
  algorithm: 'SHA1',
  digits: 6,
  skew: 1,
  max_validation_attempts: 5,
};

describe('a method by its name', () => {
  test('is written, read, listed and deleted', async () => {
    expect((await service.ask('POST', byName('phone'), { issuer: 'Keyferry' })).status).toBe(204);
    const { data } = await service.ask('GET', byName('phone'));
    expect(data).toEqual({
      ...settings,
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: 'phone',
      type: 'totp',
      namespace_id: 'root',
      namespace_path: '',
    });
    const other = { issuer: 'K', period: '1m', digits: 8, algorithm: 'SHA512', skew: 0, key_size: 32, qr_size: 0 };
    await service.ask('PUT', byName('phone'), other);
    const changed = await service.ask('GET', byName('phone'));
    expect(changed.data).toMatchObject({ ...other, period: 60, id: data['id'] });
    for (const path of ['sys/mfa/method', 'sys/mfa/method/totp']) {
      expect((await service.ask('LIST', path)).data).toEqual({ keys: ['phone'] });
    }
    expect((await service.ask('GET', `identity/mfa/method/totp/${data['id']}`)).data).toEqual(changed.data);
    expect((await service.ask('DELETE', byName('phone'))).status).toBe(204);
    expect((await service.ask('DELETE', byName('phone'))).status).toBe(204);
    expect((await service.ask('GET', byName('phone'))).status).toBe(404);
    expect((await service.ask('LIST', 'sys/mfa/method')).status).toBe(404);
  });

  test.each([
    [{}, 'issuer must be set'],
    [{ issuer: 'a\u0000' }, 'issuer contains control characters'],
    [{ issuer: '界'.repeat(100) }, 'issuer is too long for a barcode'],
    [{ algorithm: 'MD5' }, 'unrecognized algorithm'],
    [{ digits: 7 }, 'digits can only be 6 or 8'],
    [{ period: 0 }, 'period must be greater than zero'],
    [{ period: 1e6 }, 'period may be at most 86400'],
    [{ skew: 2 }, 'skew must be 0 or 1'],
    [{ key_size: 0 }, 'key_size must be greater than zero'],
    [{ key_size: 129 }, 'key_size may be at most 128'],
    [{ qr_size: -1 }, 'qr_size must be between 0 and 1000'],
    [{ max_validation_attempts: 0 }, 'max_validation_attempts must be greater than zero'],
  ])('is refused for %j', async (change, problem) => {
    const body = { ...(Object.keys(change).length === 0 ? {} : { issuer: 'K' }), ...change };
    expect(await service.ask('POST', byName('refused'), body)).toMatchObject({ status: 400, errors: [problem] });
  });

  test.each([
    ['period', [1]],
    ['issuer', 'x'.repeat(129)],
    ['digits', 'six'],
    ['key_size', 1e30],
    ['algorithm', {}],
  ])('is refused for an invalid %s', async (name, value) => {
    const answer = await service.ask('POST', byName('refused'), { issuer: 'K', [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain(name);
  });
});

describe('a method by its id', () => {
  test('is made, changed, listed and deleted', async () => {
    const { id, name } = await methodOf(service);
    expect((await service.ask('GET', `identity/mfa/method/${id}`)).data).toMatchObject({ id, name });
    const path = `identity/mfa/method/totp/${id}`;
    expect((await service.ask('POST', path, { issuer: 'Other' })).status).toBe(204);
    expect((await service.ask('GET', path)).data).toMatchObject({ ...settings, issuer: 'Other', name });
    expect((await service.ask('GET', byName(name))).data).toMatchObject({ id });
    for (const listed of ['identity/mfa/method', 'identity/mfa/method/totp']) {
      const { data } = await service.ask('LIST', listed);
      expect(data['keys']).toContain(id);
      expect(data['key_info']).toMatchObject({ [id]: { name, type: 'totp' } });
    }
    expect((await service.ask('DELETE', path)).status).toBe(204);
    expect((await service.ask('GET', path)).status).toBe(404);
    expect(await service.ask('POST', path, { issuer: 'K' })).toMatchObject({
      status: 400,
      errors: [`configuration for method ID ${JSON.stringify(id)} does not exist`],
    });
  });

  test('can have a name', async () => {
    const { name } = await methodOf(service);
    const body = { issuer: 'K', method_name: name };
    const taken = { status: 400, errors: [`the MFA method name "${name}" is already in use`] };
    expect(await service.ask('POST', 'identity/mfa/method/totp', body)).toMatchObject(taken);
    const { id } = await methodOf(service, { method_name: '' });
    expect(await service.ask('POST', `identity/mfa/method/totp/${id}`, body)).toMatchObject(taken);
    expect((await service.ask('POST', 'identity/mfa/method/totp', { ...body, method_name: '-a' })).status).toBe(400);
    expect((await service.ask('GET', `identity/mfa/method/totp/${'x'.repeat(40)}`)).status).toBe(404);
  });
});

describe('a secret', () => {
  test('is generated once for the entity of the caller, with a barcode', async () => {
    const { name, id } = await methodOf(service, { issuer: 'Key ferry & söhne', period: 30 });
    const policy = service.name('policy');
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: 'path "sys/mfa/method/totp/+/generate" { capabilities = ["read"] }',
    });
    const { token, entityId } = await people.person([policy]);
    const { status, data } = await service.ask('GET', byName(name, '/generate'), undefined, asCaller(token));
    expect(status).toBe(200);
    const issuer = 'Key%20ferry%20%26%20s%C3%B6hne';
    expect(data['url']).toMatch(
      new RegExp(
        `^otpauth://totp/${issuer}:${entityId}\\?algorithm=SHA1&digits=6&issuer=${issuer}&period=30&secret=[A-Z2-7]{32}$`,
      ),
    );
    const png = Buffer.from(String(data['barcode']), 'base64');
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([200, 200]);
    const again = await service.ask('GET', byName(name, '/generate'), undefined, asCaller(token));
    expect(again).toMatchObject({ status: 200, warnings: [`Entity already has a secret for MFA method "${name}"`] });
    expect(again.body['data']).toBeNull();
    const admin = { method_id: id, entity_id: entityId };
    const asAdmin = await service.ask('POST', 'identity/mfa/method/totp/admin-generate', admin);
    expect(asAdmin.warnings).toHaveLength(1);
    const parsed = URI.parse(String(data['url']));
    if (!(parsed instanceof TOTP)) throw new Error('no TOTP');
    const { rows } = await sql<{ secret: Buffer }>`select secret from mfa_secrets`.execute(service.store.db);
    expect(rows.some(({ secret }) => secret.includes(Buffer.from(parsed.secret.bytes)))).toBe(false);
  });

  test.each(['mfa/method/totp/', 'mfa/method/'])('is destroyed at sys/%s and generated again', async (prefix) => {
    const { name } = await methodOf(service, { qr_size: 0 });
    const { entityId: entity_id } = await people.person();
    const make = () => service.ask('POST', byName(name, '/admin-generate'), { entity_id });
    const first = await make();
    expect(first.data).toMatchObject({ barcode: '', url: expect.stringContaining(entity_id) });
    expect((await service.ask('POST', `sys/${prefix}${name}/admin-destroy`, { entity_id })).status).toBe(204);
    expect((await make()).data['url']).not.toBe(first.data['url']);
  });

  test.each(['admin-generate', 'admin-destroy'])('is refused by %s for an unknown entity or method', async (verb) => {
    const { name } = await methodOf(service);
    const noEntity = { status: 400, errors: ['invalid entity ID'] };
    for (const entity_id of ['', 'nobody', 'x'.repeat(512)]) {
      expect(await service.ask('POST', byName(name, `/${verb}`), { entity_id })).toMatchObject(noEntity);
    }
    const { entityId: entity_id } = await people.person();
    expect((await service.ask('POST', byName('none', `/${verb}`), { entity_id })).status).toBe(404);
    expect((await service.ask('POST', `identity/mfa/method/totp/${verb}`, { entity_id })).status).toBe(400);
  });

  test('is refused to a token without an entity', async () => {
    const { name, id } = await methodOf(service);
    const refused = { status: 400, errors: ['the token has no entity, so it cannot have a secret'] };
    expect(await service.ask('GET', byName(name, '/generate'))).toMatchObject(refused);
    expect(await service.ask('POST', 'identity/mfa/method/totp/generate', { method_id: id })).toMatchObject(refused);
  });

  test('is deleted with its method, whatever the number of secrets', async () => {
    const { id } = await methodOf(service);
    const { db } = service.store;
    await sql`insert into entities (id, name, name_key, created_at, updated_at)
      select 'many-' || n, 'many-' || n, 'many-' || n, now(), now() from generate_series(1, 2500) n`.execute(db);
    await sql`insert into mfa_secrets (method_id, entity_id, settings, secret)
      select ${id}::uuid, 'many-' || n, '{}', '' from generate_series(1, 2500) n`.execute(db);
    expect((await service.ask('DELETE', `identity/mfa/method/totp/${id}`)).status).toBe(204);
    const { rows } = await sql`select 1 from mfa_secrets where method_id = ${id}`.execute(db);
    expect(rows).toEqual([]);
  });
});
