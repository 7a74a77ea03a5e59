import { describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
const type = 'cloud-a-sm';
const at = (destination: string, of = type) => `sys/sync/destinations/${of}/${destination}/associations`;
const objects = (of = type) => service.fake(of).objects();

async function mount(path: string, options: object = { version: '2' }): Promise<string> {
  await service.ask('POST', `sys/mounts/${path}`, { type: 'kv', options });
  const { data } = await service.ask('GET', `sys/mounts/${path}`);
  return String(data['accessor']);
}

describe.each(everyType)('with a destination of type %s', (of) => {
  test('set creates the copy, a new version updates it, and remove deletes it', async () => {
    const destinationName = await service.destination(of);
    const secret = await service.secret({ user: 'app', password: 'first' });
    const records = await service.set(of, destinationName, secret);
    expect(statuses(records)).not.toContain('PENDING');
    const copies = () => records.map(({ sub_key, external_name }) => [sub_key, objects(of).get(external_name)?.value]);
    const whole = records.length === 1;
    const expected = (password: string) =>
      whole
        ? [['', JSON.stringify({ user: 'app', password })]]
        : [
            ['user', 'app'],
            ['password', password],
          ];
    expect(statuses(records).every((status) => status === 'SYNCED')).toBe(true);
    expect(copies()).toEqual(expected('first'));

    await service.secret({ user: 'app', password: 'second' }, secret);
    await service.untilQuiet();
    expect(copies()).toEqual(expected('second'));

    expect(only(await service.remove(of, destinationName, secret))).toMatchObject({
      sync_status: 'UNSYNCED',
      secret_name: secret,
    });
    expect(records.filter(({ external_name }) => objects(of).has(external_name))).toEqual([]);
    expect(await service.associations(of, destinationName)).toEqual([]);
  });

  test.each(['secret-path', 'secret-key'])('granularity %s determines the objects', async (granularity) => {
    const destinationName = await service.destination(of, { granularity });
    const secret = await service.secret({ a: 'text', b: { deep: [1, 2] }, c: 7, d: true });
    const records = await service.set(of, destinationName, secret);
    const values = records.map(({ sub_key, external_name }) => [sub_key, objects(of).get(external_name)?.value]);
    const whole = [['', '{"a":"text","b":{"deep":[1,2]},"c":7,"d":true}']];
    const each = [
      ['a', 'text'],
      ['b', '{"deep":[1,2]}'],
      ['c', '7'],
      ['d', 'true'],
    ];
    expect(values).toEqual(granularity === 'secret-path' ? whole : each);
  });
});

describe('an association', () => {
  test('is shown with all its fields, keyed by accessor and secret', async () => {
    const accessor = await mount('team');
    const destinationName = await service.destination(type);
    await service.ask('POST', 'team/data/app', { data: { v: '1' } });
    const { status, data } = await service.ask('POST', `${at(destinationName)}/set`, {
      mount: 'team',
      secret_name: 'app',
    });
    expect(status).toBe(200);
    expect(data).toEqual({
      associated_secrets: {
        [`${accessor}/app`]: {
          accessor,
          mount: 'team',
          secret_name: 'app',
          sub_key: '',
          external_name: `keyferry/${accessor}/app`,
          sync_status: 'SYNCED',
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          attempts: 0,
          next_attempt_at: null,
          error: null,
          unconfirmed: false,
          recheck_at: null,
        },
      },
      sync_operation_counters: { SYNCED: 1 },
      store_name: destinationName,
      store_type: type,
    });
    expect((await service.ask('GET', at(destinationName))).data).toEqual(data);
  });

  test('with granularity secret-key is one record per key, keyed by it too', async () => {
    const destinationName = await service.destination('repo-host');
    const secret = await service.secret({ dev: '1', prod: '2' });
    const records = await service.set('repo-host', destinationName, secret);
    expect(records.map(({ key, accessor }) => key.replace(accessor, ''))).toEqual([
      `/${secret}/dev`,
      `/${secret}/prod`,
    ]);
    expect(records.map(({ sub_key }) => sub_key)).toEqual(['dev', 'prod']);
    const { data } = await service.ask('GET', at(destinationName, 'repo-host'));
    expect(data).toMatchObject({ sync_operation_counters: { SYNCED: 2 } });
  });

  test('of a mount and a secret with slashes is found through both paths', async () => {
    const accessor = await mount('deep/er/kv');
    const destinationName = await service.destination(type);
    await service.ask('POST', 'deep/er/kv/data/a/b/c', { data: { v: '1' } });
    await service.ask('POST', `${at(destinationName)}/set`, { mount: 'deep/er/kv/', secret_name: 'a/b/c' });
    const query = 'sys/sync/associations/destinations?mount=deep%2Fer%2Fkv&secret_name=a%2Fb%2Fc';
    for (const path of [query, 'sys/sync/associations/deep/er/kv/a/b/c']) {
      const { status, data } = await service.ask('GET', path);
      expect(status).toBe(200);
      expect(data).toMatchObject({
        associated_destinations: {
          [`${type}/${destinationName}`]: { type, name: destinationName, accessor, sync_status: 'SYNCED' },
        },
      });
    }
  });

  test('shows all destinations of its secret', async () => {
    const [one, other] = [await service.destination(type), await service.destination('repo-host')];
    const secret = await service.secret({ key: '1' });
    await service.set(type, one, secret);
    await service.set('repo-host', other, secret);
    const { data } = await service.ask('GET', `sys/sync/associations/secret/${secret}`);
    expect(Object.keys(Object(data['associated_destinations'])).sort()).toEqual([
      `${type}/${one}`,
      `repo-host/${other}/key`,
    ]);
  });

  test('that does not exist is a 404', async () => {
    const secret = await service.secret({ v: '1' });
    for (const path of [`secret/${secret}`, `destinations?mount=secret&secret_name=${secret}`]) {
      expect(await service.ask('GET', `sys/sync/associations/${path}`)).toMatchObject({
        status: 404,
        body: { errors: [] },
      });
    }
    expect(await service.ask('GET', 'sys/sync/associations/destinations?mount=secret')).toMatchObject({ status: 400 });
  });

  test('is counted by the list, which counts its secret once', async () => {
    await mount('counted');
    await service.ask('POST', 'counted/data/app', { data: { v: '1' } });
    for (const destinationName of [await service.destination(type), await service.destination(type)]) {
      await service.ask('POST', `${at(destinationName)}/set`, { mount: 'counted', secret_name: 'app' });
    }
    const { data } = await service.ask('LIST', 'sys/sync/associations');
    const { keys, key_info, total_associations, total_secrets } = data as {
      keys: string[];
      key_info: Record<string, object[]>;
      total_associations: number;
      total_secrets: number;
    };
    expect(keys).toContain('counted/app');
    expect(key_info['counted/app']).toEqual([{ mount: 'counted/', secret_path: 'app' }]);
    expect(total_secrets).toBe(keys.length);
    expect(total_associations).toBeGreaterThan(total_secrets);
  });

  test('echoes the name of its secret exactly', async () => {
    const destinationName = await service.destination(type);
    const odd = 'Ünïcode name/with spaces & 100% "quotes"/x.y-z_0';
    await service.ask('POST', `secret/data/${odd.split('/').map(encodeURIComponent).join('/')}`, { data: { v: '1' } });
    expect(only(await service.set(type, destinationName, odd))).toMatchObject({
      secret_name: odd,
      sync_status: 'SYNCED',
    });
    expect(only(await service.associations(type, destinationName))).toMatchObject({ secret_name: odd });
  });

  test('is absent at an empty destination, which is not an error', async () => {
    const destinationName = await service.destination(type);
    const { status, data } = await service.ask('GET', at(destinationName));
    expect(status).toBe(200);
    expect(data).toMatchObject({ associated_secrets: {}, store_name: destinationName, store_type: type });
    expect((await service.ask('GET', at('missing'))).status).toBe(404);
  });
});

describe('setting an association again', () => {
  test('applies the current template and granularity and replaces the old copies by new ones', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ a: '1', b: '2' });
    const before = only(await service.set(type, destinationName, secret)).external_name;
    await service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, {
      granularity: 'secret-key',
      secret_name_template: 'new/{{ .SecretPath }}/{{ .SecretKey }}',
    });
    await service.secret({ a: '1', b: '3' }, secret);
    await service.untilQuiet();
    expect(only(await service.associations(type, destinationName)).external_name).toBe(before);
    expect(objects().get(before)?.value).toBe('{"a":"1","b":"3"}');

    const records = await service.set(type, destinationName, secret);
    expect(records.map(({ external_name }) => external_name)).toEqual([`new/${secret}/a`, `new/${secret}/b`]);
    expect(objects().get(`new/${secret}/b`)?.value).toBe('3');
    expect(objects().has(before)).toBe(false);
  });

  test('keeps the old copies while the new ones cannot be created', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ a: '1', b: '2' });
    const before = only(await service.set(type, destinationName, secret)).external_name;
    await service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, { granularity: 'secret-key' });
    await service.untilQuiet();
    service.fake(type).fail({ kind: 'denied' });
    expect(statuses(await service.set(type, destinationName, secret))).toEqual([
      'CLIENT_SIDE_ERROR',
      'CLIENT_SIDE_ERROR',
    ]);
    service.fake(type).heal();
    expect(objects().has(before)).toBe(true);
    expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED', 'SYNCED']);
    expect(objects().has(before)).toBe(false);
  });

  test('repairs changes that another client made at the destination', async () => {
    const destinationName = await service.destination('repo-host');
    const secret = await service.secret({ v: 'right' });
    const { external_name } = only(await service.set('repo-host', destinationName, secret));
    service.fake('repo-host').change(external_name, 'wrong');
    expect(statuses(await service.set('repo-host', destinationName, secret))).toEqual(['SYNCED']);
    expect(objects('repo-host').get(external_name)?.value).toBe('right');
  });

  test('with adopt replaces an object that another client put in place of the copy', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: 'right' });
    const { external_name } = only(await service.set(type, destinationName, secret));
    service.fake(type).seed(external_name, 'wrong');
    await service.set(type, destinationName, secret, { adopt: true });
    expect(objects().get(external_name)?.value).toBe('{"v":"right"}');
  });

  test('pushes again although nothing has changed', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    await service.set(type, destinationName, secret);
    const before = service.calls(type, 'PutSecretValue');
    await service.set(type, destinationName, secret);
    expect(service.calls(type, 'PutSecretValue')).toBeGreaterThan(before);
  });
});

describe('what set refuses', () => {
  test.each([
    ['a mount of KV version 1', { mount: 'old', secret_name: 'app' }, 'only secrets of KV v2 mounts'],
    ['a mount that does not exist', { mount: 'nowhere', secret_name: 'app' }, 'no mount at "nowhere/"'],
    ['a mount that is not a secrets engine', { mount: 'sys', secret_name: 'app' }, 'not a KV v2 mount'],
    ['a secret that does not exist', { mount: 'secret', secret_name: 'nothing' }, 'no secret "nothing"'],
    ['a folder', { mount: 'secret', secret_name: 'folder/' }, 'not of a folder'],
    ['no name', { mount: 'secret', secret_name: '' }, 'not of a folder'],
    ['a missing field', { mount: 'secret' }, 'missing required field "secret_name"'],
    ['a missing mount', { secret_name: 'x' }, 'missing required field "mount"'],
  ])('%s', async (_what, body, text) => {
    await mount('old', { version: '1' });
    await service.ask('POST', 'old/app', { v: '1' });
    await service.ask('POST', 'secret/data/folder/app', { data: { v: '1' } });
    const destinationName = await service.destination(type);
    const { status, errors } = await service.ask('POST', `${at(destinationName)}/set`, body);
    expect(status).toBe(400);
    expect(errors.join()).toContain(text);
    expect(await service.associations(type, destinationName)).toEqual([]);
  });

  test('a secret whose versions are all deleted', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    await service.ask('DELETE', `secret/data/${secret}`);
    const { status, errors } = await service.ask('POST', `${at(destinationName)}/set`, {
      mount: 'secret',
      secret_name: secret,
    });
    expect(status).toBe(400);
    expect(errors.join()).toContain('with a version that is not deleted');
  });

  test('a destination that does not exist', async () => {
    const secret = await service.secret({ v: '1' });
    const { status, errors } = await service.ask('POST', `${at('missing')}/set`, {
      mount: 'secret',
      secret_name: secret,
    });
    expect(status).toBe(404);
    expect(errors.join()).toContain('no destination "missing"');
  });
});

describe('remove', () => {
  test('succeeds with UNSYNCED when there is nothing to remove, any number of times', async () => {
    const destinationName = await service.destination(type);
    const secret = await service.secret({ v: '1' });
    await service.set(type, destinationName, secret);
    for (const _ of [1, 2, 3])
      expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    expect(statuses(await service.remove(type, destinationName, 'never-was'))).toEqual(['UNSYNCED']);
  });

  test('removes the copies of a mount that no longer exists, and then still succeeds', async () => {
    await mount('passing');
    const destinationName = await service.destination(type);
    await service.ask('POST', 'passing/data/app', { data: { v: '1' } });
    const body = { mount: 'passing', secret_name: 'app' };
    await service.ask('POST', `${at(destinationName)}/set`, body);
    const { external_name } = only(await service.associations(type, destinationName));
    expect(objects().has(external_name)).toBe(true);
    await service.ask('DELETE', 'sys/mounts/passing');
    await service.untilQuiet();
    expect(objects().has(external_name)).toBe(false);
    expect(only(await service.associations(type, destinationName))).toMatchObject({
      sync_status: 'UNSYNCED',
      mount: 'passing',
    });
    for (const _ of [1, 2])
      expect(await service.ask('POST', `${at(destinationName)}/remove`, body)).toMatchObject({ status: 200 });
    expect(await service.associations(type, destinationName)).toEqual([]);
    const { warnings } = await service.ask('POST', `${at(destinationName)}/remove`, body);
    expect(warnings.join()).toContain('no mount at "passing/"');
  });

  test('includes what an earlier mount at the path has left', async () => {
    await mount('twice');
    const destinationName = await service.destination(type);
    const body = { mount: 'twice', secret_name: 'app' };
    for (const v of ['1', '2']) {
      await mount('twice');
      await service.ask('POST', 'twice/data/app', { data: { v } });
      await service.ask('POST', `${at(destinationName)}/set`, body);
      if (v === '1') await service.ask('DELETE', 'sys/mounts/twice');
      await service.untilQuiet();
    }
    expect(statuses(await service.associations(type, destinationName)).toSorted()).toEqual(['SYNCED', 'UNSYNCED']);
    await service.ask('POST', `${at(destinationName)}/remove`, body);
    expect(await service.associations(type, destinationName)).toEqual([]);
  });

  test('from one destination leaves the copy at another', async () => {
    const [one, other] = [await service.destination(type), await service.destination('repo-host')];
    const secret = await service.secret({ v: '1' });
    await service.set(type, one, secret);
    const kept = await service.set('repo-host', other, secret);
    await service.remove(type, one, secret);
    expect(statuses(await service.associations('repo-host', other))).toEqual(['SYNCED']);
    expect(objects('repo-host').has(kept[0]?.external_name ?? '')).toBe(true);
  });
});
