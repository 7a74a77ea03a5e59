import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { namesWith } from '#sync/rows/fields/forms.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { type Capture, startCapture } from '#test/support/flow/capture.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
let capture: Capture;
beforeAll(async () => {
  capture = await startCapture();
});
afterAll(() => capture.close());

const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;
const newPem = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Credentials that are not stored anywhere, by the name of the field. */
const generated: Readonly<Record<string, () => string>> = {
  access_key_id: () => 'AKIAMADEUP',
  secret_access_key: () => 'made-up',
  client_secret: () => 'made-up',
  access_token: () => 'made-up',
  token: () => 'made-up',
  credentials: () =>
    JSON.stringify({
      type: 'service_account',
      project_id: 'keyferry-stand-in',
      client_email: 'a@b.c',
      private_key: newPem(),
    }),
};

/** All fields that redirect a destination of this type to the collector. */
function redirecting(type: string): Readonly<Record<string, unknown>> {
  const { fields } = mustFind(type);
  const routes = namesWith(fields, 'routes').filter((name) => !namesWith(fields, 'immutable').includes(name));
  const value = (name: string) => (name === 'tls_ca_cert' ? capture.certificate : capture.url);
  return Object.fromEntries(
    routes.filter((name) => name !== 'enterprise_url').map((name) => [name, value(name)] as const),
  );
}

function mustFind(type: string) {
  const found = definitions.find((definition) => definition.type === type);
  if (found === undefined) throw new Error(`no type ${type}`);
  return found;
}

const opens = () => ({ allowed_ports: [capture.port] });

describe.each(definitions)('stored credentials of $type', ({ type, fields }) => {
  const sensitive = () => namesWith(fields, 'sensitive').filter((name) => service.fake(type).destination[name]);
  const destinationName = async () => {
    const name = await service.destination(type);
    const secret = await service.secret({ v: 'x' });
    expect(statuses(await service.set(type, name, secret))).toEqual(['SYNCED']);
    return { name, secret };
  };
  const reads = async (name: string) =>
    Object((await service.ask('GET', at(type, name))).data['connection_details']) as Record<string, unknown>;

  test('do not reach an address that a caller sets without them, by any request', async () => {
    const { name, secret } = await destinationName();
    const before = await reads(name);
    const masks = Object.fromEntries(sensitive().map((field) => [field, '********']));
    const tries: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ...Object.entries(redirecting(type)).map(([field, value]) => ['PATCH', { [field]: value }] as const),
      ...('enterprise_url' in fields ? [['PATCH', { endpoint: null, enterprise_url: capture.url }] as const] : []),
      ['PATCH', { ...redirecting(type), ...opens() }],
      ['PATCH', { ...redirecting(type), ...opens(), ...masks }],
      ['POST', { ...before, ...redirecting(type), ...opens() }],
      ['POST', { ...before, ...redirecting(type), disable_strict_networking: true }],
    ];
    const count = capture.requests.length;
    for (const [method, body] of tries) {
      const { status, errors } = await service.ask(method, at(type, name), body);
      expect({ status, body }).toEqual({ status: 400, body });
      for (const field of sensitive()) expect(errors.join()).toContain(field);
      expect(errors.join()).toContain(Object.keys(redirecting(type)).find((field) => field in body) ?? 'nothing');
    }
    expect(await reads(name)).toEqual(before);
    await service.set(type, name, secret);
    await service.untilQuiet();
    expect(capture.requests.slice(count)).toEqual([]);
    expect(statuses(await service.associations(type, name))).toEqual(['SYNCED']);
  });

  test('are replaced by those sent with a new address, and only these reach it', async () => {
    const { name, secret } = await destinationName();
    const fresh = Object.fromEntries(sensitive().map((field) => [field, generated[field]?.()]));
    const count = capture.requests.length;
    const answer = await service.ask('PATCH', at(type, name), { ...redirecting(type), ...opens(), ...fresh });
    expect(answer.status).toBe(200);
    await service.set(type, name, secret);
    await service.untilQuiet();
    const arrived = capture.requests.slice(count).join('\n');
    expect(arrived).not.toBe('');
    for (const field of sensitive()) expect(arrived).not.toContain(String(service.fake(type).destination[field]));
  });

  test('are required with any change of an address, even one that resets it', async () => {
    const { name } = await destinationName();
    const set = Object.keys(redirecting(type)).filter((field) => field in service.fake(type).destination);
    expect(set).toContain('endpoint');
    for (const field of set) {
      for (const [method, value] of [
        ['PATCH', null],
        ['PATCH', ''],
        ['POST', null],
        ['POST', ''],
      ] as const) {
        const body = method === 'POST' ? { ...(await reads(name)), [field]: value } : { [field]: value };
        const { status, errors } = await service.ask(method, at(type, name), body);
        expect({ method, field, value, status }).toEqual({ method, field, value, status: 400 });
        expect(errors.join()).toContain(field);
      }
    }
  });

  test('are required with wider network access, but not with narrower access', async () => {
    const { name } = await destinationName();
    const { allowed_ports: [port] = [] } = service.fake(type).destination as { allowed_ports?: number[] };
    for (const wider of [
      { disable_strict_networking: true },
      { allowed_ipv4_addresses: ['127.0.0.0/8', '10.0.0.0/8'] },
      { allowed_ipv4_addresses: '0.0.0.0/0' },
      { allowed_ipv6_addresses: ['::1/128'] },
      { allowed_ports: [port, 8443] },
    ]) {
      const { status, errors } = await service.ask('PATCH', at(type, name), wider);
      expect({ status, wider }).toEqual({ status: 400, wider });
      expect(errors.join()).toContain(Object.keys(wider)[0]);
    }
    for (const narrower of [
      { allowed_ipv4_addresses: ['127.0.0.1/32'], allowed_ports: [port, 443] },
      { allowed_ipv4_addresses: [], allowed_ports: null },
    ]) {
      expect((await service.ask('PATCH', at(type, name), narrower)).status).toBe(200);
    }
    const credentials = Object.fromEntries(sensitive().map((field) => [field, service.fake(type).destination[field]]));
    const { status } = await service.ask('PATCH', at(type, name), { disable_strict_networking: true, ...credentials });
    expect(status).toBe(200);
  });
});

describe('the key of an app', () => {
  const type = 'repo-host';
  const host = () => service.fake<RepoHostFake>(type);
  const app = async () => {
    const name = service.name('app');
    expect((await service.ask('POST', `sys/sync/github-apps/${name}`, host().app)).status).toBe(200);
    return name;
  };
  const byApp = (name: string, changes: object = {}) => ({
    ...host().appDestination,
    access_token: undefined,
    app_name: name,
    ...changes,
  });

  test('signs only for its own host, with a new destination, a changed one or a new address', async () => {
    const name = await app();
    const destinationName = await service.destination(type, byApp(name));
    const secret = await service.secret({ v: 'x' });
    expect(only(await service.set(type, destinationName, secret)).sync_status).toBe('SYNCED');
    const count = capture.requests.length;
    const elsewhere = { tls_ca_cert: capture.certificate, ...opens() };
    const addresses = [{ endpoint: capture.url }, { endpoint: null, enterprise_url: capture.url }, { endpoint: null }];
    for (const address of addresses) {
      const changed = await service.ask('PATCH', at(type, destinationName), { ...elsewhere, ...address });
      const made = await service.ask(
        'POST',
        at(type, service.name('other')),
        byApp(name, { ...elsewhere, ...address }),
      );
      for (const { status, errors } of [changed, made]) {
        expect(status).toBe(400);
        expect(errors.join()).toContain(`app "${name}" logs in only at ${host().url}`);
      }
    }
    await service.set(type, destinationName, secret);
    await service.untilQuiet();
    expect(capture.requests.slice(count)).toEqual([]);
  });

  test('stays at its host when the app is written without an address, and moves only together with a key', async () => {
    const name = await app();
    const { endpoint, ...alone } = host().app;
    const kept = await service.ask('POST', `sys/sync/github-apps/${name}`, alone);
    expect(kept.data).toMatchObject({ endpoint, private_key: '*****' });
    const path = `sys/sync/github-apps/${name}`;
    for (const private_key of ['*****', undefined]) {
      const body = { app_id: alone.app_id, private_key, endpoint: capture.url };
      expect((await service.ask('POST', path, body)).status).toBe(400);
    }
    expect((await service.ask('GET', path)).data).toMatchObject({ endpoint });
    const moved = await service.ask('POST', path, {
      ...alone,
      endpoint: null,
      enterprise_url: 'https://git.example.com',
    });
    expect(moved.data).toMatchObject({ enterprise_url: 'https://git.example.com' });
    expect(moved.data).not.toHaveProperty('endpoint');
    expect((await service.ask('POST', path, { ...alone, enterprise_url: 'git' })).status).toBe(400);
  });

  test('signs nothing at the old host of an app that has moved', async () => {
    const name = await app();
    const destinationName = await service.destination(type, byApp(name));
    await service.ask('POST', `sys/sync/github-apps/${name}`, { ...host().app, endpoint: capture.url });
    const before = service.calls(type);
    const secret = await service.secret({ v: 'x' });
    const record = only(await service.set(type, destinationName, secret));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'credentials' } });
    expect(record.error?.message).toContain(`app "${name}" logs in only at ${capture.url}`);
    expect(service.calls(type)).toBe(before);
  });
});
