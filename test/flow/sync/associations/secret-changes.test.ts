import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type, 'repo-host', 'deploy-host-project']);

let destinationName = '';
beforeEach(async () => {
  destinationName = await service.destination(type);
});

/** A synced secret: its name, and a function that reads its copy at the external system. */
async function synced(...versions: readonly string[]) {
  const [first = '1', ...others] = versions;
  const secret = await service.secret({ v: first });
  const { external_name } = only(await service.set(type, destinationName, secret));
  for (const v of others) await service.secret({ v }, secret);
  await service.untilQuiet();
  const copy = () => service.fake(type).objects().get(external_name)?.value;
  const status = async () => only(await service.associations(type, destinationName, secret)).sync_status;
  return { secret, copy, status };
}

describe('the copy follows its secret', () => {
  test('when a version is written, patched, and written in a burst', async () => {
    const { secret, copy } = await synced('1');
    await service.ask('PATCH', `secret/data/${secret}`, { data: { w: '2' } });
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"1","w":"2"}');
    const before = service.calls(type, 'PutSecretValue');
    for (let v = 0; v < 30; v += 1) await service.secret({ v: `burst ${v}` }, secret);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"burst 29"}');
    expect(service.calls(type, 'PutSecretValue') - before).toBeLessThanOrEqual(30);
  });

  test('when the latest version is deleted, to the version before it', async () => {
    const { secret, copy, status } = await synced('1', '2', '3');
    expect(copy()).toBe('{"v":"3"}');
    await service.ask('DELETE', `secret/data/${secret}`);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"2"}');
    expect(await status()).toBe('SYNCED');
  });

  test('when a version is undeleted', async () => {
    const { secret, copy } = await synced('1', '2');
    await service.ask('DELETE', `secret/data/${secret}`);
    await service.untilQuiet();
    await service.ask('POST', `secret/undelete/${secret}`, { versions: [2] });
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"2"}');
  });

  test('when all versions are deleted, and when one is undeleted', async () => {
    const { secret, copy, status } = await synced('1', '2');
    await service.ask('POST', `secret/delete/${secret}`, { versions: [1, 2] });
    await service.untilQuiet();
    expect(copy()).toBeUndefined();
    expect(await status()).toBe('UNSYNCED');
    await service.ask('POST', `secret/undelete/${secret}`, { versions: [1] });
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"1"}');
    expect(await status()).toBe('SYNCED');
  });

  test('when versions are destroyed', async () => {
    const { secret, copy, status } = await synced('1', '2');
    await service.ask('POST', `secret/destroy/${secret}`, { versions: [2] });
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"1"}');
    await service.ask('POST', `secret/destroy/${secret}`, { versions: [1] });
    await service.untilQuiet();
    expect(copy()).toBeUndefined();
    expect(await status()).toBe('UNSYNCED');
  });

  test('when its metadata is deleted; the association stays and a new secret of that name is synced', async () => {
    const { secret, copy, status } = await synced('1', '2');
    await service.ask('DELETE', `secret/metadata/${secret}`);
    await service.untilQuiet();
    expect(copy()).toBeUndefined();
    expect(await status()).toBe('UNSYNCED');
    await service.secret({ v: 'again' }, secret);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"again"}');
  });

  test('when the time of a version is over, which the sweep detects', async () => {
    const { secret, copy, status } = await synced('lasting');
    await service.ask('POST', `secret/metadata/${secret}`, { delete_version_after: '1s' });
    await service.secret({ v: 'passing' }, secret);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"passing"}');
    await eventually(async () => {
      await service.sweep();
      await service.untilQuiet();
      return copy() === '{"v":"lasting"}';
    });
    expect(await status()).toBe('SYNCED');
  });

  test('when older versions exceed max_versions, without changing', async () => {
    const { secret, copy } = await synced('1');
    await service.ask('POST', `secret/metadata/${secret}`, { max_versions: 2 });
    for (const v of ['2', '3', '4']) await service.secret({ v }, secret);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"4"}');
  });

  test('when its mount is moved', async () => {
    await service.ask('POST', 'sys/mounts/here', { type: 'kv', options: { version: '2' } });
    await service.ask('POST', 'here/data/app', { data: { v: '1' } });
    const body = { mount: 'here', secret_name: 'app' };
    const at = `sys/sync/destinations/${type}/${destinationName}/associations`;
    await service.ask('POST', `${at}/set`, body);
    await service.ask('POST', 'sys/remount', { from: 'here', to: 'there' });
    await service.ask('POST', 'there/data/app', { data: { v: '2' } });
    await service.untilQuiet();
    const record = only(await service.associations(type, destinationName));
    expect(record).toMatchObject({ mount: 'there', sync_status: 'SYNCED' });
    expect(service.fake(type).objects().get(record.external_name)?.value).toBe('{"v":"2"}');
    expect((await service.ask('POST', `${at}/remove`, { ...body, mount: 'there' })).status).toBe(200);
    expect(service.fake(type).objects().has(record.external_name)).toBe(false);
  });
});

describe('keys with objects of their own', () => {
  test.each(['repo-host', 'deploy-host-project'])(
    '%s: are created, changed and removed with the keys of the secret',
    async (of) => {
      const name = await service.destination(of);
      const secret = await service.secret({ stays: '1', changes: '1', goes: '1' });
      const before = await service.set(of, name, secret);
      const nameOf = (key: string) => before.find(({ sub_key }) => sub_key === key)?.external_name ?? '';
      await service.secret({ stays: '1', changes: '2', comes: '1' }, secret);
      await service.untilQuiet();
      const after = await service.associations(of, name, secret);
      expect(after.map(({ sub_key }) => sub_key).toSorted()).toEqual(['changes', 'comes', 'stays']);
      expect(statuses(after).every((status) => status === 'SYNCED')).toBe(true);
      const objects = service.fake(of).objects();
      expect(objects.has(nameOf('goes'))).toBe(false);
      expect(objects.get(nameOf('changes'))?.value).toBe('2');
      expect(objects.get(nameOf('stays'))?.value).toBe('1');
    },
  );

  test('are not pushed again while their key stays the same', async () => {
    const name = await service.destination('repo-host');
    const secret = await service.secret({ same: '1', other: '1' });
    await service.set('repo-host', name, secret);
    const puts = () => [...service.fake('repo-host').calls()].filter(([call]) => /put|write|create/i.test(call));
    const before = puts().reduce((sum, [, count]) => sum + count, 0);
    await service.secret({ same: '1', other: '2' }, secret);
    await service.untilQuiet();
    expect(puts().reduce((sum, [, count]) => sum + count, 0) - before).toBe(1);
  });
});

describe('the value', () => {
  test('is not pushed when a change writes the same value', async () => {
    const { secret, copy } = await synced('same');
    const before = service.calls(type, 'PutSecretValue');
    await service.secret({ v: 'same' }, secret);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"same"}');
    expect(service.calls(type, 'PutSecretValue')).toBe(before);
  });

  /** A synced secret whose copy another client has changed. */
  async function overwritten() {
    const { secret, copy } = await synced('same');
    const { external_name } = only(await service.associations(type, destinationName, secret));
    service.fake(type).change(external_name, 'the value of another client');
    return { secret, copy };
  }

  test('is pushed when a change writes the same value and a look an hour later finds the copy changed', async () => {
    const { secret, copy } = await overwritten();
    const looks = service.calls(type, 'DescribeSecret');
    await service.secret({ v: 'same' }, secret);
    await service.untilQuiet();
    expect(service.calls(type, 'DescribeSecret')).toBe(looks);
    await sql`update sync_objects set written_at = written_at - interval '1 hour'`.execute(service.store.db);
    await service.secret({ v: 'same' }, secret);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"same"}');
  });

  test.each([
    ['a replay', () => service.ask('POST', 'sys/sync/replay', { sync_status: 'SYNCED', type, name: destinationName })],
    [
      'a change of the destination',
      () => service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, { adopt: true }),
    ],
  ] as const)('is pushed when %s requests a look and the copy has changed', async (_what, change) => {
    const { copy } = await overwritten();
    expect((await change()).status).toBe(200);
    await service.untilQuiet();
    expect(copy()).toBe('{"v":"same"}');
  });

  test('is looked at when the credentials change, since they may lead to another account', async () => {
    await synced('same');
    const before = service.calls(type, 'DescribeSecret');
    const { access_key_id, secret_access_key } = service.fake(type).destination;
    const change = { access_key_id, secret_access_key };
    expect((await service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, change)).status).toBe(200);
    await service.untilQuiet();
    expect(service.calls(type, 'DescribeSecret')).toBe(before + 1);
  });

  test('keeps the digits of large numbers, as a whole and by key', async () => {
    const raw = '{"data":{"id":12345678901234567890,"ratio":1.0,"small":1e-400,"deep":{"n":9007199254740993}}}';
    const secret = service.name('digits');
    await service.ask('POST', `secret/data/${secret}`, undefined, { raw });
    const { external_name } = only(await service.set(type, destinationName, secret));
    expect(service.fake(type).objects().get(external_name)?.value).toBe(
      '{"id":12345678901234567890,"ratio":1.0,"small":1e-400,"deep":{"n":9007199254740993}}',
    );
    const host = await service.destination('repo-host');
    const records = await service.set('repo-host', host, secret);
    const values = records.map((record) => service.fake('repo-host').objects().get(record.external_name)?.value);
    expect(values).toEqual(['12345678901234567890', '1.0', '1e-400', '{"n":9007199254740993}']);
  });

  test('arrives byte for byte: Unicode, lines, a PEM', async () => {
    const pem = '-----BEGIN X-----\nAbC+/=\n-----END X-----\n';
    const texts = { unicode: 'zażółć gęślą 🔑', lines: 'a\r\nb\tc\\n', pem };
    const secret = await service.secret(texts);
    const host = await service.destination('deploy-host-project');
    const records = await service.set('deploy-host-project', host, secret);
    const objects = service.fake('deploy-host-project').objects();
    expect(Object.fromEntries(records.map((one) => [one.sub_key, objects.get(one.external_name)?.value]))).toEqual(
      texts,
    );
  });

  test('that is too large is refused with its name and size, and the copy stays unchanged', async () => {
    const { secret, copy } = await synced('small');
    await service.secret({ v: 'x'.repeat(70_000) }, secret);
    await service.untilQuiet();
    const record = only(await service.associations(type, destinationName, secret));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'too-large' } });
    expect(record.error?.message).toContain('at most 65536');
    expect(copy()).toBe('{"v":"small"}');
  });
});
