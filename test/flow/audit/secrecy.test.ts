import { afterEach, describe, expect, test } from 'vitest';
import { uuid } from '#core/ids.ts';
import { foundIn, postgresDump } from '../../support/flow/backup/dumps.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { fileDevice, linesOf, removeDevices, textOf } from './log.ts';

const service = serviceOf([]);
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly format?: string };
}

const newMarker = () => `marker-${uuid()}`;

// With a single device, a line is written before its request is answered.
afterEach(() => removeDevices(service));

describe('no secret value reaches a device in clear', () => {
  test('from any request or reply', async () => {
    const { file } = await fileDevice(service);
    const marker = newMarker();
    const post = (path: string, body: object, headers = {}) => service.ask('POST', path, body, { headers });
    await post('secret/data/app', { data: { a: marker, deep: [{ b: `x ${marker} "\\\n${marker}` }] } });
    await service.ask('GET', 'secret/data/app');
    await service.ask('PATCH', 'secret/data/app', { data: { c: marker } });
    await service.ask('GET', `secret/data/app?version=${marker}`);
    await post('secret/metadata/app', { custom_metadata: { note: marker } });
    await service.ask('GET', 'secret/metadata/app');
    await post('sys/mounts/marked', { type: 'kv', description: marker });
    await post('cubbyhole/own', { token: marker });
    await service.ask('GET', 'cubbyhole/own');
    await post('auth/token/create', { id: marker, policies: ['default'] });
    await service.ask('GET', 'auth/token/lookup-self', undefined, { headers: { 'x-service-token': marker } });
    await post('auth/token/lookup', { token: marker });
    const wrapped = await post('sys/wrapping/wrap', { secret: marker }, { 'x-service-wrap-ttl': '60s' });
    const { token } = wrapped.body['wrap_info'] as { readonly token: string };
    await post('sys/wrapping/lookup', { token });
    await post('sys/wrapping/unwrap', { token });
    await post('auth/userpass/login/unknown', { password: marker });
    await post('auth/none/role/x', { secret_id: marker });
    await post('sys/policies/acl/marked', { policy: marker });
    await post(`sys/tools/hash/${'sha2-256'}`, { input: Buffer.from(marker).toString('base64') });
    await post('sys/audit/marked', { type: marker, options: { file_path: marker } });
    await post('sys/audit/marked', {
      type: 'http',
      options: { uri: 'http://127.0.0.1:1023', headers: `{"a":"${marker}"}` },
    });
    await post('sys/audit-hash/none', { input: marker });
    await post('sys/config/cors', { allowed_origins: [marker] });
    await post('sys/quotas/rate-limit/x', { path: marker, rate: marker });
    await post(
      'secret/none',
      { value: marker },
      { authorization: `Bearer ${marker}`, cookie: marker, 'x-any': marker },
    );
    await service.ask('POST', 'secret/data/form', undefined, {
      raw: `data=${marker}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const text = await textOf(file);
    expect((await linesOf(file)).length).toBeGreaterThan(50);
    expect(foundIn(text, [marker, token, service.rootToken])).toEqual([]);
  });

  test('nor does a token in a path of any request, wherever else the path is shown', async () => {
    const { file, device } = await fileDevice(service);
    const newToken = async () => {
      const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'], ttl: '1h' });
      return String(Object(body['auth'])['client_token']);
    };
    const tokens = [await newToken(), await newToken()];
    const [first = '', second = ''] = tokens;
    expect((await service.ask('POST', `auth/token/renew/${first}`)).status).toBe(200);
    const wrapped = await service.ask('POST', `auth/token/renew/${first}`, undefined, {
      headers: { 'x-service-wrap-ttl': '60s' },
    });
    const { token, creation_path } = Object(wrapped.body['wrap_info']);
    expect([wrapped.status, creation_path]).toEqual([200, 'auth/token/renew/[secret]']);
    await service.ask('POST', 'sys/wrapping/lookup', { token });
    expect((await service.ask('GET', `auth/token/renew/${first}`)).status).toBe(405);
    await service.ask('GET', `auth/token/renew/${first}?help=1`);
    await service.ask('POST', `auth/tokens/renew/${first}`);
    await service.ask('POST', `auth/token/renewal/${first}`);
    await service.ask('POST', `none/auth/token/renew/${first}`, undefined, {
      headers: { 'x-service-namespace': 'none' },
    });
    expect((await service.ask('POST', `auth/token/revoke-orphan/${second}`)).status).toBe(204);
    await service.ask('POST', 'auth/token/revoke-orphan/some/custom-id-in-two');
    const lines = await linesOf(file);
    const { data } = await service.ask('POST', `sys/audit-hash/${device}`, { input: second });
    const paths = lines.map(({ request }) => request['path']);
    expect(paths).toContain(`auth/token/revoke-orphan/${data['hash']}`);
    expect(paths.filter((path) => /renew\/hmac-sha256:[0-9a-f]{64}$/.test(String(path))).length).toBeGreaterThan(7);
    expect(foundIn(await textOf(file), [...tokens, 'custom-id-in-two'])).toEqual([]);
    expect(foundIn(JSON.stringify(service.logged), tokens)).toEqual([]);
    expect(foundIn(await postgresDump(service), tokens)).toEqual([]);
  });

  test('because every path parameter that gives access is marked in its row', async () => {
    const { body } = await service.ask('GET', 'sys/internal/specs/openapi');
    const paths = Object.entries(Object(body['paths'])) as [string, Readonly<Record<string, unknown>>][];
    const named = paths.flatMap(([path, operations]) =>
      Object.values(operations)
        .flatMap((one): readonly Parameter[] => Object(one)['parameters'] ?? [])
        .filter(({ in: where, name }) => where === 'path' && /token|secret|passcode|nonce|otp|key/.test(name))
        .map(({ name, schema }) => [path, name, schema.format]),
    );
    expect(named).toEqual([
      ['/auth/token/renew/{token}', 'token', 'password'],
      ['/auth/token/revoke-orphan/{token}', 'token', 'password'],
    ]);
  });

  test('except with log_raw, which shows that the search finds values', async () => {
    const { file } = await fileDevice(service, { log_raw: 'true' });
    const marker = newMarker();
    await service.ask('POST', 'secret/data/raw', { data: { a: marker } });
    await service.ask('GET', 'secret/data/raw');
    expect(foundIn(await textOf(file), [marker, service.rootToken]).length).toBeGreaterThan(1);
  });

  test('even of large secrets, whose HMAC is that of the text itself', async () => {
    const { file, device } = await fileDevice(service);
    const marker = newMarker();
    const large = `${marker}\n"é😀\u0001`.repeat(8_000);
    expect((await service.ask('POST', 'secret/data/large', { data: { large, small: marker } })).status).toBe(200);
    expect((await service.ask('GET', 'secret/data/large')).data).toMatchObject({ data: { large } });
    const lines = (await linesOf(file)).filter(({ request }) => request['path'] === 'secret/data/large');
    const { data } = await service.ask('POST', `sys/audit-hash/${device}`, { input: large });
    expect(lines[0]?.request['data']).toMatchObject({ data: { large: data['hash'] } });
    expect(lines[3]?.response?.['data']).toMatchObject({ data: { large: data['hash'] } });
    expect(foundIn(await textOf(file), [marker])).toEqual([]);
  });
});
