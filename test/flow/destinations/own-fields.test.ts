import { describe, expect, test } from 'vitest';
import { definitions } from '../../../lib/destinations/index.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf();
const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;

/** Fields that existing clients of the API family cannot send. */
const unknownToClients = [
  ...['endpoint', 'address', 'sts_endpoint', 'authority_host', 'enterprise_url', 'tls_ca_cert'],
  ...['adopt', 'recovery_window_days', 'purge_on_delete', 'destroy_old_versions'],
];

/** One of them that a destination of the type can have beside those of its stand-in. */
const more: Readonly<Record<string, object>> = {
  'cloud-a-sm': { recovery_window_days: 30 },
  'cloud-b-kv': { purge_on_delete: true },
  'cloud-c-sm': { destroy_old_versions: true },
  'workspace-vars': { address: 'https://tfe.example.com' },
};

describe.each(definitions)('a POST of $type by a client that knows the fields of the family only', ({ type }) => {
  const whole = () => ({ ...service.fake(type).destination, ...more[type], adopt: true });
  const asClient = () =>
    Object.fromEntries(Object.entries(whole()).filter(([name]) => !unknownToClients.includes(name)));
  const shown = async (name: string) => (await service.ask('GET', at(type, name))).data;

  test('keeps our own fields, so the next push goes where the last one went', async () => {
    const name = await service.destination(type, whole());
    const before = await shown(name);
    const { status, data } = await service.ask('POST', at(type, name), asClient());
    expect(status).toBe(200);
    expect(data).toEqual(before);
    const secret = await service.secret({ v: 'x' });
    expect(statuses(await service.set(type, name, secret))).toEqual(['SYNCED']);
  });

  test.each([
    ['null', null],
    ['an empty text', ''],
  ])('sets one back that is sent as %s', async (_what, value) => {
    const name = await service.destination(type, whole());
    const own = Object.keys(whole()).filter((field) => unknownToClients.includes(field));
    const cleared = Object.fromEntries(own.map((field) => [field, value]));
    // A vault at an address that is not the cloud's own has to have an endpoint; the others go back to the public one.
    const { status, data } = await service.ask('POST', at(type, name), { ...asClient(), ...cleared });
    expect(status).toBe(200);
    const { connection_details, options } = data as { connection_details: object; options: object };
    expect(own.filter((field) => field in connection_details || field in options)).toEqual([]);
  });

  // Terraform sends no empty list: what is taken out of its configuration is left out of the request.
  test('opens nothing of the network any more that it leaves out', async () => {
    const name = await service.destination(type, { ...whole(), disable_strict_networking: true });
    const { allowed_ports: _closed, ...rest } = asClient();
    const { status, data } = await service.ask('POST', at(type, name), rest);
    expect(status).toBe(200);
    expect(data['connection_details']).not.toHaveProperty('allowed_ports');
    expect(data['connection_details']).not.toHaveProperty('disable_strict_networking');
    expect(data['connection_details']).toHaveProperty('allowed_ipv4_addresses');
    expect((await service.ask('POST', at(type, name), rest)).data).toEqual(data);
  });

  test('takes an empty list for none', async () => {
    const name = await service.destination(type, whole());
    const { data } = await service.ask('POST', at(type, name), { ...asClient(), allowed_ports: [] });
    expect(data['connection_details']).not.toHaveProperty('allowed_ports');
    expect(data['connection_details']).toHaveProperty('allowed_ipv4_addresses');
  });
});

test('what such a client can send, and leaves out, falls back to its default as ever', async () => {
  const type = 'cloud-a-sm';
  const role = 'arn:aws:iam::111122223333:role/x';
  const name = await service.destination(type, { role_arn: role, kms_key_id: 'alias/x', custom_tags: { team: 'a' } });
  const { data } = await service.ask('POST', at(type, name), service.fake(type).destination);
  expect(data['connection_details']).not.toHaveProperty('role_arn');
  expect(data['connection_details']).not.toHaveProperty('kms_key_id');
  expect(data['options']).toMatchObject({ custom_tags: {} });
});

describe.each(definitions)('connection_details of $type', ({ type, fields }) => {
  test('hold what was given and no default', async () => {
    const given = service.fake(type).destination;
    const name = await service.destination(type);
    const details = Object((await service.ask('GET', at(type, name))).data['connection_details']);
    expect(Object.keys(details).toSorted()).toEqual(Object.keys(given).toSorted());
    const merged = await service.ask('PATCH', at(type, name), { granularity: 'secret-path' });
    expect(merged.data['connection_details']).toEqual(details);
    const written = await service.ask('POST', at(type, name), given);
    expect(written.data['connection_details']).toEqual(details);
  });

  test('hold a default that was given, until it is set back, and both are the same to the destination', async () => {
    const usual = Object.entries(fields).flatMap(([field, schema]) => {
      const { data } = schema.safeParse(undefined);
      return data === undefined ? [] : [[field, data] as const];
    });
    const name = await service.destination(type, Object.fromEntries(usual));
    const shown = async () => Object((await service.ask('GET', at(type, name))).data['connection_details']);
    expect(await shown()).toMatchObject(Object.fromEntries(usual));
    const secret = await service.secret({ v: 'x' });
    expect(statuses(await service.set(type, name, secret))).toEqual(['SYNCED']);
    const back = Object.fromEntries(usual.map(([field]) => [field, null]));
    expect((await service.ask('PATCH', at(type, name), back)).status).toBe(200);
    for (const [field] of usual) expect(await shown()).not.toHaveProperty(field);
    expect((await service.ask('POST', at(type, name), service.fake(type).destination)).status).toBe(200);
    await service.untilQuiet();
    expect(statuses(await service.associations(type, name))).toEqual(['SYNCED']);
  });

  test('leave defaults to the help, which names each', async () => {
    const { text } = await service.ask('GET', `${at(type, 'some')}?help=1`);
    const { openapi } = JSON.parse(text);
    const { properties } = openapi.paths['/'].post.requestBody.content['application/json'].schema;
    for (const [field, schema] of Object.entries(fields)) {
      const usual = schema.safeParse(undefined).data;
      if (usual === undefined) continue;
      expect({ field, usual: properties[field].default }).toEqual({ field, usual });
      expect(properties[field].description).toMatch(/default/i);
    }
  });
});

test('a vault that names no cloud is not one of another cloud than one that names the public one', async () => {
  const type = 'cloud-b-kv';
  const name = await service.destination(type);
  const given = { ...service.fake(type).destination, cloud: 'cloud' };
  expect((await service.ask('POST', at(type, name), given)).data).toMatchObject({
    connection_details: { cloud: 'cloud' },
  });
  const { status, errors } = await service.ask('POST', at(type, name), { ...given, cloud: 'AzureChinaCloud' });
  expect(status).toBe(400);
  expect(errors.join()).toContain('cloud');
});

test('a destination of a self-hosted server stays there when a client writes it without the address', async () => {
  const type = 'repo-host';
  const { endpoint, ...rest } = service.fake(type).destination;
  const name = await service.destination(type, { endpoint: '', enterprise_url: endpoint });
  const again = await service.ask('POST', at(type, name), rest);
  expect(again.data).toMatchObject({ connection_details: { enterprise_url: endpoint } });
  const secret = await service.secret({ v: 'x' });
  expect(only(await service.set(type, name, secret)).sync_status).toBe('SYNCED');
});
