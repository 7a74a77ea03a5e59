import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;

/** Fields that existing clients of the API family cannot send. */
const unknownToClients = [
  ...['endpoint', 'address', 'sts_endpoint', 'authority_host', 'enterprise_url', 'tls_ca_cert'],
  ...['adopt', 'rate_group', 'recovery_window_days', 'purge_on_delete', 'destroy_old_versions'],
];

/** One of these fields for the type, in addition to those that its stand-in needs. */
const more: Readonly<Record<string, object>> = {
  'cloud-a-sm': { recovery_window_days: 30 },
  'cloud-b-kv': { purge_on_delete: true },
  'cloud-c-sm': { destroy_old_versions: true },
  'workspace-vars': { address: 'https://tfe.example.com' },
};

describe.each(definitions)('a POST of $type by a client that knows only the fields of the family', ({ type }) => {
  const whole = () => ({ ...service.fake(type).destination, ...more[type], adopt: true, rate_group: 'team-a' });
  const asClient = () =>
    Object.fromEntries(Object.entries(whole()).filter(([name]) => !unknownToClients.includes(name)));
  const shown = async (name: string) => (await service.ask('GET', at(type, name))).data;

  test('keeps our own fields, so that the next push goes to the same place', async () => {
    const name = await service.destination(type, whole());
    const before = await shown(name);
    const { status, data } = await service.ask('POST', at(type, name), asClient());
    expect(status).toBe(200);
    expect(before).toMatchObject(data);
    const secret = await service.secret({ v: 'x' });
    expect(statuses(await service.set(type, name, secret))).toEqual(['SYNCED']);
  });

  test.each([
    ['null', null],
    ['an empty string', ''],
  ])('resets a field that is sent as %s', async (_what, value) => {
    const name = await service.destination(type, whole());
    const own = Object.keys(whole()).filter((field) => unknownToClients.includes(field));
    const cleared = Object.fromEntries(own.map((field) => [field, value]));
    // A vault at a non-public address needs an endpoint; the other types fall back to the public one.
    const { status, data } = await service.ask('POST', at(type, name), { ...asClient(), ...cleared });
    expect(status).toBe(200);
    const { connection_details, options } = data as { connection_details: object; options: object };
    expect(own.filter((field) => field in connection_details || field in options)).toEqual([]);
  });

  // Terraform does not send empty lists: a value removed from its configuration is left out of the request.
  test('withdraws network access that it leaves out', async () => {
    const name = await service.destination(type, { ...whole(), disable_strict_networking: true });
    const { allowed_ports: _closed, ...rest } = asClient();
    const { status, data } = await service.ask('POST', at(type, name), rest);
    expect(status).toBe(200);
    expect(data['connection_details']).not.toHaveProperty('allowed_ports');
    expect(data['connection_details']).not.toHaveProperty('disable_strict_networking');
    expect(data['connection_details']).toHaveProperty('allowed_ipv4_addresses');
    expect((await service.ask('POST', at(type, name), rest)).data).toEqual(data);
  });

  test('accepts an empty list as no access', async () => {
    const name = await service.destination(type, whole());
    const { data } = await service.ask('POST', at(type, name), { ...asClient(), allowed_ports: [] });
    expect(data['connection_details']).not.toHaveProperty('allowed_ports');
    expect(data['connection_details']).toHaveProperty('allowed_ipv4_addresses');
  });
});

test('resets fields that such a client can send but leaves out', async () => {
  const type = 'cloud-a-sm';
  const role = 'arn:aws:iam::111122223333:role/x';
  const name = await service.destination(type, { role_arn: role, kms_key_id: 'alias/x', custom_tags: { team: 'a' } });
  const { data } = await service.ask('POST', at(type, name), service.fake(type).destination);
  expect(data['connection_details']).not.toHaveProperty('role_arn');
  expect(data['connection_details']).not.toHaveProperty('kms_key_id');
  expect(data['options']).toMatchObject({ custom_tags: {} });
});

describe.each(definitions)('connection_details of $type', ({ type, fields }) => {
  test('show the given fields and no defaults', async () => {
    const given = service.fake(type).destination;
    const name = await service.destination(type);
    const details = Object((await service.ask('GET', at(type, name))).data['connection_details']);
    expect(Object.keys(details).toSorted()).toEqual(Object.keys(given).toSorted());
    const merged = await service.ask('PATCH', at(type, name), { granularity: 'secret-path' });
    expect(merged.data['connection_details']).toEqual(details);
    const written = await service.ask('POST', at(type, name), given);
    expect(written.data['connection_details']).toEqual(details);
  });

  test('show a given default until it is reset, with the same effect on the destination', async () => {
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

  test('leave defaults to the help, which lists them', async () => {
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

test('a vault without a cloud counts as one in the public cloud', async () => {
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

test('a destination at a self-hosted server stays there when a client writes it without the address', async () => {
  const type = 'repo-host';
  const { endpoint, ...rest } = service.fake(type).destination;
  const name = await service.destination(type, { endpoint: '', enterprise_url: endpoint });
  const again = await service.ask('POST', at(type, name), rest);
  expect(again.data).toMatchObject({ connection_details: { enterprise_url: endpoint } });
  const secret = await service.secret({ v: 'x' });
  expect(only(await service.set(type, name, secret)).sync_status).toBe('SYNCED');
});
