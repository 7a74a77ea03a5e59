import { describe, expect, test } from 'vitest';
import { rawClient } from '#test/http/wire/raw.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (type: string, name: string) => `sys/sync/destinations/${type}/${name}`;

describe('without any destination', () => {
  test('the lists are a 404', async () => {
    expect(await service.ask('LIST', 'sys/sync/destinations')).toMatchObject({ status: 404, body: { errors: [] } });
    expect(await service.ask('LIST', 'sys/sync/destinations/repo-host')).toMatchObject({ status: 404 });
    expect(await service.ask('LIST', 'sys/sync/associations')).toMatchObject({ status: 404, body: { errors: [] } });
    expect(await service.ask('LIST', 'sys/sync/github-apps')).toMatchObject({ status: 404, body: { errors: [] } });
  });
});

describe.each(everyType)('a destination of type %s', (type) => {
  test('reads with every documented field, and nothing sensitive in clear', async () => {
    const name = service.name('shown');
    const { destination } = service.fake(type);
    const made = await service.ask('POST', at(type, name), destination);
    expect(made.status).toBe(200);
    const read = await service.ask('GET', at(type, name));
    expect(read.data).toMatchObject(made.data);
    expect(read.data).toMatchObject({
      type,
      name,
      connection_details: { endpoint: destination['endpoint'], allowed_ports: destination['allowed_ports'] },
      options: {
        granularity_level: expect.stringMatching(/^secret-(path|key)$/),
        secret_name_template: expect.stringContaining('.SecretPath'),
        custom_tags: {},
      },
    });
    for (const [field, value] of Object.entries(read.data['connection_details'] ?? {})) {
      if (value === '*****') expect(read.text).not.toContain(String(destination[field]));
      else expect(value).toEqual(expect.anything());
    }
    expect(Object.values(read.data['connection_details'] ?? {})).toContain('*****');
  });

  test('is a 404 before it is created and after it is deleted', async () => {
    const name = service.name('gone');
    expect(await service.ask('GET', at(type, name))).toMatchObject({ status: 404, body: { errors: [] } });
    expect(await service.ask('PATCH', at(type, name), { granularity: 'secret-path' })).toMatchObject({ status: 404 });
    await service.ask('POST', at(type, name), service.fake(type).destination);
    expect(await service.ask('DELETE', at(type, name))).toMatchObject({ status: 204 });
    expect(await service.ask('GET', at(type, name))).toMatchObject({ status: 404 });
    expect(await service.ask('DELETE', at(type, name))).toMatchObject({ status: 204 });
  });

  test('is replaced by POST: fields that are left out get their defaults', async () => {
    const name = service.name('replaced');
    const template = 'x-{{ .SecretPath }}-{{ .SecretKey }}';
    const more = {
      secret_name_template: template,
      granularity: 'secret-key',
    };
    const made = await service.ask('POST', at(type, name), { ...service.fake(type).destination, ...more });
    expect(made.data).toMatchObject({
      options: { secret_name_template: template, granularity_level: 'secret-key' },
    });
    const replaced = await service.ask('POST', at(type, name), service.fake(type).destination);
    const fresh = await service.ask('POST', at(type, service.name('fresh')), service.fake(type).destination);
    expect(replaced.data).toEqual({ ...fresh.data, name });
  });

  test('keeps its credentials and works when a client sends back the masks that it read', async () => {
    const name = await service.destination(type);
    const read = await service.ask('GET', at(type, name));
    const again = await service.ask('PATCH', at(type, name), { ...Object(read.data['connection_details']) });
    expect(again.status).toBe(200);
    expect((await service.ask('POST', at(type, name), Object(read.data['connection_details']))).status).toBe(200);
    const secret = await service.secret({ v: 'x' });
    expect(statuses(await service.set(type, name, secret))).toEqual(['SYNCED']);
  });
});

describe('PATCH of a destination', () => {
  const type = 'cloud-a-sm';
  const options = async (name: string) => Object((await service.ask('GET', at(type, name))).data['options']);

  test('changes the given fields; null resets a field', async () => {
    const name = await service.destination(type, {
      recovery_window_days: 30,
      role_arn: 'arn:aws:iam::111122223333:role/x',
    });
    const changed = await service.ask('PATCH', at(type, name), { recovery_window_days: 10, granularity: 'secret-key' });
    expect(changed.data).toMatchObject({
      connection_details: {
        recovery_window_days: 10,
        role_arn: 'arn:aws:iam::111122223333:role/x',
        region: 'us-east-1',
      },
      options: { granularity_level: 'secret-key' },
    });
    const back = await service.ask('PATCH', at(type, name), {
      recovery_window_days: null,
      role_arn: null,
      granularity: null,
      allowed_ports: null,
    });
    expect(back.data).toMatchObject({
      options: { granularity_level: 'secret-path' },
    });
    expect(back.data['connection_details']).not.toHaveProperty('recovery_window_days');
    expect(back.data['connection_details']).not.toHaveProperty('role_arn');
    expect(back.data['connection_details']).not.toHaveProperty('allowed_ports');
  });

  test('merges custom_tags, and tags_to_remove removes them', async () => {
    const name = await service.destination(type, { custom_tags: { team: 'a', service: 'dev' } });
    await service.ask('PATCH', at(type, name), { custom_tags: { service: 'prod', owner: 'me' } });
    expect(await options(name)).toMatchObject({ custom_tags: { team: 'a', service: 'prod', owner: 'me' } });
    await service.ask('PATCH', at(type, name), { tags_to_remove: ['team', 'unknown'] });
    expect(await options(name)).toMatchObject({ custom_tags: { service: 'prod', owner: 'me' } });
    await service.ask('PATCH', at(type, name), { custom_tags: null });
    expect(await options(name)).toMatchObject({ custom_tags: {} });
  });

  test('adds new tags to existing copies and removes deleted ones', async () => {
    const name = await service.destination(type, { custom_tags: { team: 'a' } });
    const secret = await service.secret({ v: 'x' });
    const { external_name } = only(await service.set(type, name, secret));
    const tags = () => service.fake(type).objects().get(external_name)?.tags;
    expect(tags()).toMatchObject({ team: 'a' });
    await service.ask('PATCH', at(type, name), { custom_tags: { owner: 'me' }, tags_to_remove: ['team'] });
    await service.untilQuiet();
    expect(tags()).toMatchObject({ owner: 'me' });
    expect(tags()).not.toHaveProperty('team');
  });

  test('of a required field to null is refused by its name', async () => {
    const name = await service.destination('cloud-b-kv');
    const { status, errors } = await service.ask('PATCH', at('cloud-b-kv', name), { client_secret: null });
    expect(status).toBe(400);
    expect(errors).toEqual(['Field validation failed: missing required field "client_secret"']);
  });

  test('of a setting that affects the objects is applied to existing ones', async () => {
    const host = 'deploy-host-project';
    const name = await service.destination(host);
    const secret = await service.secret({ v: 'x' });
    const { external_name } = only(await service.set(host, name, secret));
    await service.ask('PATCH', at(host, name), { deployment_environments: ['production'] });
    await service.untilQuiet();
    const { variables } = service.fake(host) as unknown as { variables(): { key: string; target: string[] }[] };
    expect(variables().filter(({ key }) => key === external_name)).toMatchObject([{ target: ['production'] }]);
  });
});

describe('a destination refuses', () => {
  const secretText = 'VERY-secret-text-9f2c';

  test.each([
    ['cloud-a-sm', { region: 'eu-central-1' }, 'region'],
    ['cloud-b-kv', { key_vault_uri: 'https://other.vault.azure.net' }, 'key_vault_uri'],
    ['cloud-b-kv', { tenant_id: '11111111-2222-3333-4444-555555555555' }, 'tenant_id'],
    ['cloud-c-sm', { project_id: 'another-project' }, 'project_id'],
    ['cloud-c-sm', { replica_regions: { 'us-east1': '' } }, 'replica_regions (or replication_locations)'],
    ['cloud-c-sm', { replication_locations: ['us-east1'] }, 'replica_regions (or replication_locations)'],
    ['repo-host', { repository_name: 'other' }, 'repository_name'],
    ['deploy-host-project', { project_id: 'prj_other' }, 'project_id'],
    ['workspace-vars', { workspace_id: 'ws-other' }, 'workspace_id'],
    ['workspace-vars', { workspace_id: '', variable_set_id: 'varset-1' }, 'workspace_id, variable_set_id'],
  ])('%s: %o cannot be changed by POST or PATCH', async (type, change, field) => {
    const name = await service.destination(type);
    for (const method of ['PATCH', 'POST']) {
      const body = method === 'POST' ? { ...service.fake(type).destination, ...change } : change;
      const { status, errors } = await service.ask(method, at(type, name), body);
      expect(status).toBe(400);
      expect(errors.join()).toContain(`${field} cannot be changed`);
    }
  });

  test.each([
    ['cloud-a-sm', { granularity: 'secret-word' }, ['granularity', 'secret-path', 'secret-key']],
    ['cloud-a-sm', { secret_name_template: '{{ .Nonsense }}' }, ['secret_name_template', 'Nonsense']],
    ['cloud-a-sm', { secret_name_template: '{{ .SecretPath' }, ['secret_name_template']],
    [
      'cloud-a-sm',
      { granularity: 'secret-key', secret_name_template: 'x/{{ .SecretPath }}' },
      ['external name template should contain reference to the secret key', '.SecretKey'],
    ],
    ['cloud-a-sm', { allowed_ipv4_addresses: ['10.0.0.1'] }, ['invalid CIDR address', 'allowed_ipv4_addresses']],
    ['cloud-a-sm', { allowed_ipv6_addresses: ['10.0.0.0/8'] }, ['invalid CIDR address', 'allowed_ipv6_addresses']],
    ['cloud-a-sm', { allowed_ports: [99_999] }, ['invalid port 99999', 'allowed_ports']],
    ['cloud-a-sm', { disable_strict_networking: 'perhaps' }, ['disable_strict_networking', 'boolean']],
    ['cloud-a-sm', { access_key_id: secretText, secret_access_key: '' }, ['secret_access_key']],
    ['cloud-a-sm', { secret_access_key: `${secretText} with spaces` }, ['secret_access_key']],
    ['cloud-a-sm', { secret_access_key: { nested: secretText } }, ['secret_access_key']],
    ['cloud-b-kv', { client_secret: undefined }, ['client_secret', 'missing required field']],
    ['cloud-c-sm', { credentials: `{"private_key":"${secretText}"` }, ['credentials']],
    ['cloud-c-sm', { replica_regions: { global: '' } }, ['replica_regions', '"global"', 'europe-west1']],
    ['repo-host', { secrets_location: 'everywhere' }, ['secrets_location']],
    ['repo-host', { access_token: '', app_name: 'x' }, ['installation_id']],
    [
      'repo-host',
      { access_token: '', app_name: 'missing', installation_id: 1 },
      ['app_name', '"missing"', 'github-apps'],
    ],
    ['deploy-host-project', { deployment_environments: ['moon'] }, ['deployment_environments']],
    ['deploy-host-project', { access_token: ['x', secretText] }, ['access_token']],
    ['workspace-vars', { variable_set_id: 'varset-1' }, ['workspace_id', 'variable_set_id', 'only one target']],
    ['workspace-vars', { hcl: true }, ['hcl', 'engine']],
    ['workspace-vars', { token: `${secretText}\n` }, ['token']],
  ])('%s: %o is a 400 that names field and rule', async (type, change, words) => {
    const name = service.name('refused');
    const { status, errors, text } = await service.ask('POST', at(type, name), {
      ...service.fake(type).destination,
      ...change,
    });
    expect(status).toBe(400);
    for (const word of words) expect(errors.join()).toContain(word);
    expect(text).not.toContain(secretText);
    for (const [field, value] of Object.entries(service.fake(type).destination)) {
      if (/secret_access_key|client_secret|token/.test(field)) expect(text).not.toContain(String(value));
    }
    expect((await service.ask('GET', at(type, name))).status).toBe(404);
  });

  test('a mask without a stored value', async () => {
    const { status, errors } = await service.ask('POST', at('repo-host', service.name('masked')), {
      ...service.fake('repo-host').destination,
      access_token: '*****',
    });
    expect(status).toBe(400);
    expect(errors.join()).toContain('access_token is masked');
  });

  test('an unknown type', async () => {
    const answers = await Promise.all([
      service.ask('POST', at('cloud-z', 'x'), {}),
      service.ask('GET', at('cloud-z', 'x')),
      service.ask('LIST', 'sys/sync/destinations/cloud-z'),
      service.ask('POST', `${at('cloud-z', 'x')}/associations/set`, { mount: 'secret', secret_name: 'x' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const { errors } of answers) expect(errors.join()).toContain('unknown destination type "cloud-z"');
  });

  test.each([
    ['cloud-a-sm', { global_kms_key: 'k' }],
    ['cloud-b-kv', { kms_key_id: 'alias/x', encryption_key: 'k' }],
    ['cloud-c-sm', { regional_kms_keys: { 'us-east1': 'k' } }],
    ['repo-host', { replica_regions: { 'eu-west-1': '' } }],
    ['deploy-host-project', { kmsKeyId: 'k' }],
    ['workspace-vars', { encryption_key: 'k' }],
  ])('%s: %o, a protection that it does not have', async (type, unknown) => {
    const name = service.name('unprotected');
    const made = await service.ask('POST', at(type, name), { ...service.fake(type).destination, ...unknown });
    const patched = await service.ask('PATCH', at(type, await service.destination(type)), unknown);
    for (const { status, errors } of [made, patched]) {
      expect(status).toBe(400);
      for (const field of Object.keys(unknown)) expect(errors.join('\n')).toContain(`unknown field "${field}"`);
    }
    expect((await service.ask('GET', at(type, name))).status).toBe(404);
    const unset = Object.fromEntries(Object.keys(unknown).map((field) => [field, null]));
    expect((await service.ask('POST', at(type, name), { ...service.fake(type).destination, ...unset })).status).toBe(
      200,
    );
  });

  test('unknown fields with a warning that names them, and does not store them', async () => {
    const name = service.name('warned');
    const { status, warnings } = await service.ask('POST', at('repo-host', name), {
      ...service.fake('repo-host').destination,
      custom_tags: { team: 'a' },
      nonsense: 1,
    });
    expect(status).toBe(200);
    expect(warnings.join()).toContain('[custom_tags nonsense]');
  });
});

describe('the lists of destinations', () => {
  test('name types with a slash and the destinations of each', async () => {
    const name = await service.destination('repo-host');
    const { status, data } = await service.ask('LIST', 'sys/sync/destinations');
    expect(status).toBe(200);
    const { keys, key_info, total_destinations } = data as {
      keys: string[];
      key_info: Record<string, string[]>;
      total_destinations: number;
    };
    expect(keys).toContain('repo-host/');
    expect(Object.keys(key_info)).toEqual(keys);
    expect(key_info['repo-host/']).toContain(name);
    expect(total_destinations).toBe(Object.values(key_info).flat().length);
    const ofType = await service.ask('LIST', 'sys/sync/destinations/repo-host');
    expect(ofType.data).toEqual({ keys: key_info['repo-host/'], total_destinations: key_info['repo-host/']?.length });
  });

  test('are available by the verb LIST itself', async () => {
    await service.destination('repo-host');
    const client = await rawClient(Number(new URL(service.address).port));
    await client.send(
      `LIST /v1/sys/sync/destinations HTTP/1.1\r\nHost: keyferry\r\nX-Service-Token: ${service.rootToken}\r\n\r\n`,
    );
    const { status, body } = await client.next();
    client.close();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ data: { keys: expect.arrayContaining(['repo-host/']) } });
  });
});
