import { describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type, 'repo-host', 'cloud-b-kv']);
const copy = (name: string, of = type) => service.fake(of).objects().get(name)?.value;

/** A destination whose objects are named after their secrets. */
const namedLikeSecrets = (of = type, more: object = {}) =>
  service.destination(of, { secret_name_template: '{{ .SecretPath }}', granularity: 'secret-path', ...more });

describe.each([type, 'repo-host', 'cloud-b-kv'])('an object of %s that another client created', (of) => {
  test('is a conflict and stays unchanged, even when the association is removed', async () => {
    const destinationName = await namedLikeSecrets(of);
    const secret = await service.secret({ v: 'ours' }, service.name('FOREIGN'));
    const name = secret.replaceAll('-', of === 'repo-host' ? '_' : '-');
    service.fake(of).seed(name, 'theirs');
    const record = only(await service.set(of, destinationName, secret));
    expect(record).toMatchObject({
      sync_status: 'CLIENT_SIDE_ERROR',
      error: { kind: 'conflict' },
      external_name: name,
    });
    expect(record.error?.message).toMatch(/adopt/);
    expect(copy(name, of)).toBe('theirs');
    expect(statuses(await service.remove(of, destinationName, secret))).toEqual(['UNSYNCED']);
    expect(copy(name, of)).toBe('theirs');
  });

  test('is adopted when the association says so, and then removed with it', async () => {
    const destinationName = await namedLikeSecrets(of);
    const secret = await service.secret({ v: 'ours' }, service.name('ADOPTED'));
    const name = secret.replaceAll('-', of === 'repo-host' ? '_' : '-');
    service.fake(of).seed(name, 'theirs');
    expect(statuses(await service.set(of, destinationName, secret, { adopt: true }))).toEqual(['SYNCED']);
    expect(copy(name, of)).toBe('{"v":"ours"}');
    expect(statuses(await service.remove(of, destinationName, secret))).toEqual(['UNSYNCED']);
    expect(copy(name, of)).toBeUndefined();
  });

  test('is adopted when the destination says so', async () => {
    const destinationName = await namedLikeSecrets(of, { adopt: true });
    const secret = await service.secret({ v: 'ours' }, service.name('WELCOME'));
    const name = secret.replaceAll('-', of === 'repo-host' ? '_' : '-');
    service.fake(of).seed(name, 'theirs');
    expect(statuses(await service.set(of, destinationName, secret))).toEqual(['SYNCED']);
    expect(copy(name, of)).toBe('{"v":"ours"}');
  });
});

describe('two secrets of one destination', () => {
  test('with the same name: the first keeps it, and the error of the second says which secret has it', async () => {
    const destinationName = await service.destination(type, { secret_name_template: 'shared/{{ .SecretBaseName }}' });
    const base = service.name('app');
    await service.secret({ v: 'first' }, `a/${base}`);
    await service.secret({ v: 'second' }, `b/${base}`);
    await service.set(type, destinationName, `a/${base}`);
    const record = only(await service.set(type, destinationName, `b/${base}`));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'conflict' } });
    expect(record.error?.message).toContain(`"secret/a/${base}"`);
    expect(copy(`shared/${base}`)).toBe('{"v":"first"}');

    await service.remove(type, destinationName, `b/${base}`);
    expect(copy(`shared/${base}`)).toBe('{"v":"first"}');
  });

  test('with the same name: the second gets it after the first has been removed', async () => {
    const destinationName = await service.destination(type, { secret_name_template: 'shared/{{ .SecretBaseName }}' });
    const base = service.name('app');
    for (const folder of ['a', 'b']) {
      await service.secret({ v: folder }, `${folder}/${base}`);
      await service.set(type, destinationName, `${folder}/${base}`);
    }
    await service.remove(type, destinationName, `a/${base}`);
    expect(copy(`shared/${base}`)).toBeUndefined();
    expect(statuses(await service.set(type, destinationName, `b/${base}`))).toEqual(['SYNCED']);
    expect(copy(`shared/${base}`)).toBe('{"v":"b"}');
  });
});

describe('two keys of one secret', () => {
  test('with the same name are both refused, and the others are synced', async () => {
    const destinationName = await service.destination('repo-host');
    const secret = await service.secret({ 'my.key': '1', 'my-key': '2', fine: '3' });
    const records = await service.set('repo-host', destinationName, secret);
    const byKey = Object.fromEntries(records.map((record) => [record.sub_key, record]));
    expect(byKey['fine']?.sync_status).toBe('SYNCED');
    for (const [key, other] of [
      ['my.key', 'my-key'],
      ['my-key', 'my.key'],
    ] as const) {
      expect(byKey[key]).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'conflict' } });
      expect(byKey[key]?.error?.message).toContain(`"${other}"`);
    }
    const objects = [...service.fake('repo-host').objects().keys()].filter((name) => /MY_KEY$/.test(name));
    expect(objects).toEqual([]);
  });

  test('with the same name are synced after a rename', async () => {
    const destinationName = await service.destination('repo-host');
    const secret = await service.secret({ 'my.key': '1', 'my-key': '2' });
    await service.set('repo-host', destinationName, secret);
    await service.secret({ 'my.key': '1', other: '2' }, secret);
    await service.untilQuiet();
    expect(statuses(await service.associations('repo-host', destinationName))).toEqual(['SYNCED', 'SYNCED']);
  });
});

test('a name that the destination does not accept is refused with its rule, and the existing object stays', async () => {
  const destinationName = await service.destination('cloud-b-kv');
  const secret = await service.secret({ v: '1' });
  const before = only(await service.set('cloud-b-kv', destinationName, secret)).external_name;
  const template = `${'x'.repeat(130)}{{ .SecretPath }}`;
  await service.ask('PATCH', `sys/sync/destinations/cloud-b-kv/${destinationName}`, { secret_name_template: template });
  const record = only(await service.set('cloud-b-kv', destinationName, secret));
  expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'name' } });
  expect(record.error?.message).toContain('at most 127');
  expect(copy(before, 'cloud-b-kv')).toBe('{"v":"1"}');
});
