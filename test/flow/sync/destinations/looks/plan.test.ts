import { afterEach, describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const at = (of: string, name: string) => `sys/sync/destinations/${of}/${name}/plan`;

interface Planned {
  readonly secret_name: string;
  readonly sub_key: string;
  readonly external_name: string;
  readonly action: string;
  readonly reason: string;
  readonly looked: boolean;
  readonly error: { readonly kind: string; readonly message: string } | null;
}

async function plan(of: string, name: string, query = '', body?: object) {
  const answer = await service.ask(body === undefined ? 'GET' : 'POST', `${at(of, name)}${query}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.data as unknown as {
    readonly objects: readonly Planned[];
    readonly counts: Readonly<Record<string, number>>;
    readonly total: number;
    readonly after: string | null;
  };
}

const short = (objects: readonly Planned[]) => objects.map(({ action, reason }) => [action, reason]);

afterEach(async () => {
  await service.ask('DELETE', 'sys/sync/config');
});

describe.each(definitions)('a plan of a destination of type $type', ({ type }) => {
  test('leaves what is in line, by reading calls only', async () => {
    const name = await service.destination(type);
    const secret = await service.secret({ v: 'in line' });
    await service.set(type, name, secret);
    const before = new Map(service.fake(type).objects());
    const { objects, counts, total, after } = await plan(type, name);
    expect(short(objects)).toEqual([['leave', 'in-line']]);
    expect(objects[0]).toMatchObject({ secret_name: secret, external_name: expect.stringMatching(/./), error: null });
    expect({ total, after, leave: counts['leave'] }).toEqual({ total: 1, after: null, leave: 1 });
    expect(new Map(service.fake(type).objects())).toEqual(before);
  });

  test('tells what a change of the secret, and its deletion, would do', async () => {
    const name = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    await service.set(type, name, secret);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { disabled: true });
    await service.secret({ v: '2' }, secret);
    expect(short((await plan(type, name)).objects)).toEqual([['update', 'changed']]);
    await service.ask('DELETE', `secret/metadata/${secret}`);
    expect(short((await plan(type, name)).objects)).toEqual([['delete', 'not-wanted']]);
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { disabled: false });
  });
});

describe('a plan', () => {
  const type = 'cloud-a-sm';

  /** A destination whose objects are called `<destination>-<last part of the path>`, and a folder for its secrets. */
  async function named() {
    const [name, folder] = [await service.destination(type), service.name('planned')];
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, {
      secret_name_template: `${name}-{{ .SecretBaseName }}`,
    });
    const associate = async (base: string, data: object = { v: 'planned-value' }) =>
      service.set(type, name, await service.secret(data, `${folder}/${base}`));
    return { name, folder, associate, fake: service.fake(type) };
  }

  test('tells new objects, those that another client changed, and foreign ones; no value leaves the worker', async () => {
    const { name, associate, fake } = await named();
    for (const base of ['changed', 'same']) await associate(base);
    fake.change(`${name}-changed`, 'by hand');
    await service.ask('PATCH', `sys/sync/destinations/${type}/${name}`, { disabled: true });
    await associate('fresh');
    fake.seed(`${name}-taken`, 'foreign');
    await associate('taken');
    const { objects, counts } = await plan(type, name);
    expect(objects.map(({ external_name, action, reason }) => [external_name, action, reason])).toEqual([
      [`${name}-changed`, 'update', 'changed-there'],
      [`${name}-fresh`, 'create', 'new'],
      [`${name}-same`, 'leave', 'in-line'],
      [`${name}-taken`, 'refuse', 'foreign'],
    ]);
    expect(counts).toEqual({ create: 1, update: 1, delete: 0, refuse: 1, leave: 1 });
    expect((await plan(type, name, '', { adopt: true })).objects[3]).toMatchObject({
      action: 'update',
      reason: 'adopted',
    });
    expect(JSON.stringify([objects, service.logged])).not.toContain('planned-value');
  });

  test('is paged, and narrowed to one secret', async () => {
    const { name, folder, associate } = await named();
    for (const base of ['a', 'b', 'c']) await associate(base);
    const first = await plan(type, name, '?limit=2');
    expect([first.objects.length, first.total]).toEqual([2, 3]);
    const second = await plan(type, name, `?limit=2&after=${first.after}`);
    expect([second.objects.length, second.after]).toEqual([1, null]);
    const { objects } = await plan(type, name, `?mount=secret&secret_name=${folder}/b`);
    expect(objects.map(({ secret_name }) => secret_name)).toEqual([`${folder}/b`]);
    for (const query of [`prefix=/${folder}/b`, `mount=&prefix=&secret_name=/${folder}/b`]) {
      const narrowed = await plan(type, name, `?${query}`);
      expect([narrowed.total, narrowed.objects[0]?.secret_name]).toEqual([1, `${folder}/b`]);
    }
    for (const empty of [{}, { mount: '' }, { prefix: '' }, { secret_name: '' }])
      expect((await plan(type, name, '', empty)).total).toBe(3);
    expect((await plan(type, name, '', { prefix: `${folder}/c` })).total).toBe(1);
    expect((await service.ask('GET', `${at(type, name)}?mount=/`)).errors.join()).toContain('mount has to be the path');
  });

  test('shows what another template, granularity or tag would do before it is stored', async () => {
    const { name, associate } = await named();
    await associate('a', { user: 'u', password: 'p' });
    const template = `${name}.{{ .SecretBaseName }}.{{ .SecretKey }}`;
    const changes = { granularity: 'secret-key', secret_name_template: template };
    const { objects } = await plan(type, name, '', changes);
    expect(objects.map(({ external_name, action }) => [external_name, action])).toEqual([
      [`${name}.a.user`, 'create'],
      [`${name}.a.password`, 'create'],
      [`${name}-a`, 'delete'],
    ]);
    expect(short((await plan(type, name, '', { custom_tags: { team: 'a' } })).objects)).toEqual([
      ['update', 'changed'],
    ]);
    expect(short((await plan(type, name)).objects)).toEqual([['leave', 'in-line']]);
  });

  test('of setting again needs the right to read the secrets, since another granularity shows their keys', async () => {
    const { name, folder, associate } = await named();
    await associate('a');
    const policy = service.name('planner');
    const rule = (path: string) => `path "${path}" { capabilities = ["read", "update"] }`;
    await service.api.write(`sys/policies/acl/${policy}`, { policy: rule(at(type, name)) });
    const made = await service.ask('POST', 'auth/token/create', { policies: [policy] });
    const { client_token } = made.body['auth'] as { readonly client_token: string };
    const headers = { 'x-service-token': client_token };
    const byKey = { granularity: 'secret-key', secret_name_template: '{{ .SecretKey }}' };
    const ask = (method: string, body?: object) => service.ask(method, at(type, name), body, { headers });
    expect((await ask('GET')).status).toBe(200);
    expect((await ask('POST', byKey)).status).toBe(403);
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: rule(at(type, name)) + rule(`secret/data/${folder}/*`),
    });
    expect((await ask('POST', byKey)).status).toBe(200);
  });

  test('refuses two secrets with one name, and names the holder', async () => {
    const { name, folder, associate } = await named();
    await associate('one/same');
    await associate('two/same');
    const { objects } = await plan(type, name);
    expect(short(objects)).toEqual([
      ['leave', 'in-line'],
      ['refuse', 'name-taken'],
    ]);
    expect(objects[1]?.error).toEqual({ kind: 'conflict', message: expect.stringContaining(`${folder}/one/same`) });
  });

  test('fails with the reason when the destination cannot be looked at, and makes no call while the sync is disabled', async () => {
    const { name, associate, fake } = await named();
    await associate('a');
    fake.fail({ kind: 'credentials' });
    const failed = await service.ask('GET', at(type, name));
    fake.heal();
    expect([failed.status, failed.text]).toEqual([502, expect.stringContaining('cannot look at the destination')]);
    await service.ask('PATCH', 'sys/sync/config', { disabled: true });
    expect(await service.ask('GET', at(type, name))).toMatchObject({ status: 400 });
  });

  test.each(['?limit=0', '?limit=101', '?after=nothing', '?unknown=1'])('%s is refused', async (query) => {
    const name = await service.destination(type);
    expect((await service.ask('GET', `${at(type, name)}${query}`)).status).toBe(400);
  });

  test('of a destination that does not exist is a 404', async () => {
    expect((await service.ask('GET', at(type, 'nothing'))).status).toBe(404);
    expect((await service.ask('POST', at(type, 'nothing'), {})).status).toBe(404);
  });
});
