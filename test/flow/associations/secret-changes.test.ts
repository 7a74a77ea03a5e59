import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { only, statuses } from '../../support/flow/associations.ts';
import { eventually, stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-a-sm';
const stage = stageOf([type, 'repo-host', 'deploy-host-project']);

let place = '';
beforeEach(async () => {
  place = await stage.destination(type);
});

/** A synced secret: its name, and what a reader of the external system gets. */
async function synced(...versions: readonly string[]) {
  const [first = '1', ...others] = versions;
  const secret = await stage.secret({ v: first });
  const { external_name } = only(await stage.set(type, place, secret));
  for (const v of others) await stage.secret({ v }, secret);
  await stage.untilQuiet();
  const copy = () => stage.fake(type).objects().get(external_name)?.value;
  const status = async () => only(await stage.associations(type, place, secret)).sync_status;
  return { secret, copy, status };
}

describe('the copy follows its secret', () => {
  test('when a version is written, patched, and written in a burst', async () => {
    const { secret, copy } = await synced('1');
    await stage.ask('PATCH', `secret/data/${secret}`, { data: { w: '2' } });
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"1","w":"2"}');
    const before = stage.calls(type, 'PutSecretValue');
    for (let v = 0; v < 30; v += 1) await stage.secret({ v: `burst ${v}` }, secret);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"burst 29"}');
    expect(stage.calls(type, 'PutSecretValue') - before).toBeLessThanOrEqual(30);
  });

  test('when the latest version is deleted: the one before it is there again', async () => {
    const { secret, copy, status } = await synced('1', '2', '3');
    expect(copy()).toBe('{"v":"3"}');
    await stage.ask('DELETE', `secret/data/${secret}`);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"2"}');
    expect(await status()).toBe('SYNCED');
  });

  test('when a version is undeleted', async () => {
    const { secret, copy } = await synced('1', '2');
    await stage.ask('DELETE', `secret/data/${secret}`);
    await stage.untilQuiet();
    await stage.ask('POST', `secret/undelete/${secret}`, { versions: [2] });
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"2"}');
  });

  test('when all versions are deleted, and when one comes back', async () => {
    const { secret, copy, status } = await synced('1', '2');
    await stage.ask('POST', `secret/delete/${secret}`, { versions: [1, 2] });
    await stage.untilQuiet();
    expect(copy()).toBeUndefined();
    expect(await status()).toBe('UNSYNCED');
    await stage.ask('POST', `secret/undelete/${secret}`, { versions: [1] });
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"1"}');
    expect(await status()).toBe('SYNCED');
  });

  test('when versions are destroyed', async () => {
    const { secret, copy, status } = await synced('1', '2');
    await stage.ask('POST', `secret/destroy/${secret}`, { versions: [2] });
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"1"}');
    await stage.ask('POST', `secret/destroy/${secret}`, { versions: [1] });
    await stage.untilQuiet();
    expect(copy()).toBeUndefined();
    expect(await status()).toBe('UNSYNCED');
  });

  test('when its metadata is deleted; the association stays and a new secret of that name is synced', async () => {
    const { secret, copy, status } = await synced('1', '2');
    await stage.ask('DELETE', `secret/metadata/${secret}`);
    await stage.untilQuiet();
    expect(copy()).toBeUndefined();
    expect(await status()).toBe('UNSYNCED');
    await stage.secret({ v: 'again' }, secret);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"again"}');
  });

  test('when the time of a version is over, which the sweep notices', async () => {
    const { secret, copy, status } = await synced('lasting');
    await stage.ask('POST', `secret/metadata/${secret}`, { delete_version_after: '1s' });
    await stage.secret({ v: 'passing' }, secret);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"passing"}');
    await eventually(async () => {
      await stage.sweep();
      await stage.untilQuiet();
      return copy() === '{"v":"lasting"}';
    });
    expect(await status()).toBe('SYNCED');
  });

  test('when older versions fall out of max_versions, it stays', async () => {
    const { secret, copy } = await synced('1');
    await stage.ask('POST', `secret/metadata/${secret}`, { max_versions: 2 });
    for (const v of ['2', '3', '4']) await stage.secret({ v }, secret);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"4"}');
  });

  test('when its mount is moved', async () => {
    await stage.ask('POST', 'sys/mounts/here', { type: 'kv', options: { version: '2' } });
    await stage.ask('POST', 'here/data/app', { data: { v: '1' } });
    const body = { mount: 'here', secret_name: 'app' };
    const at = `sys/sync/destinations/${type}/${place}/associations`;
    await stage.ask('POST', `${at}/set`, body);
    await stage.ask('POST', 'sys/remount', { from: 'here', to: 'there' });
    await stage.ask('POST', 'there/data/app', { data: { v: '2' } });
    await stage.untilQuiet();
    const record = only(await stage.associations(type, place));
    expect(record).toMatchObject({ mount: 'there', sync_status: 'SYNCED' });
    expect(stage.fake(type).objects().get(record.external_name)?.value).toBe('{"v":"2"}');
    expect((await stage.ask('POST', `${at}/remove`, { ...body, mount: 'there' })).status).toBe(200);
    expect(stage.fake(type).objects().has(record.external_name)).toBe(false);
  });
});

describe('keys with objects of their own', () => {
  test.each(['repo-host', 'deploy-host-project'])('%s: come, change and go with the keys of the secret', async (of) => {
    const name = await stage.destination(of);
    const secret = await stage.secret({ stays: '1', changes: '1', goes: '1' });
    const before = await stage.set(of, name, secret);
    const nameOf = (key: string) => before.find(({ sub_key }) => sub_key === key)?.external_name ?? '';
    await stage.secret({ stays: '1', changes: '2', comes: '1' }, secret);
    await stage.untilQuiet();
    const after = await stage.associations(of, name, secret);
    expect(after.map(({ sub_key }) => sub_key).toSorted()).toEqual(['changes', 'comes', 'stays']);
    expect(statuses(after).every((status) => status === 'SYNCED')).toBe(true);
    const objects = stage.fake(of).objects();
    expect(objects.has(nameOf('goes'))).toBe(false);
    expect(objects.get(nameOf('changes'))?.value).toBe('2');
    expect(objects.get(nameOf('stays'))?.value).toBe('1');
  });

  test('a key that stays the same is not pushed again', async () => {
    const name = await stage.destination('repo-host');
    const secret = await stage.secret({ same: '1', other: '1' });
    await stage.set('repo-host', name, secret);
    const puts = () => [...stage.fake('repo-host').calls()].filter(([call]) => /put|write|create/i.test(call));
    const before = puts().reduce((sum, [, count]) => sum + count, 0);
    await stage.secret({ same: '1', other: '2' }, secret);
    await stage.untilQuiet();
    expect(puts().reduce((sum, [, count]) => sum + count, 0) - before).toBe(1);
  });
});

describe('the value', () => {
  test('is not pushed when a change brings the same one', async () => {
    const { secret, copy } = await synced('same');
    const before = stage.calls(type, 'PutSecretValue');
    await stage.secret({ v: 'same' }, secret);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"same"}');
    expect(stage.calls(type, 'PutSecretValue')).toBe(before);
  });

  /** A synced secret whose copy somebody else has changed. */
  async function overwritten() {
    const { secret, copy } = await synced('same');
    const { external_name } = only(await stage.associations(type, place, secret));
    stage.fake(type).seed(external_name, 'somebody else');
    return { secret, copy };
  }

  test('is pushed when a change brings the same one, and a look an hour later finds the copy not as we left it', async () => {
    const { secret, copy } = await overwritten();
    const looks = stage.calls(type, 'DescribeSecret');
    await stage.secret({ v: 'same' }, secret);
    await stage.untilQuiet();
    expect(stage.calls(type, 'DescribeSecret')).toBe(looks);
    await sql`update sync_objects set written_at = written_at - interval '1 hour'`.execute(stage.store.db);
    await stage.secret({ v: 'same' }, secret);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"same"}');
  });

  test.each([
    ['a replay', () => stage.ask('POST', 'sys/sync/replay', { sync_status: 'SYNCED', type, name: place })],
    [
      'a change of the destination',
      () => stage.ask('PATCH', `sys/sync/destinations/${type}/${place}`, { adopt: true }),
    ],
  ] as const)('is pushed when %s asks for a look and the copy is not as we left it', async (_what, change) => {
    const { copy } = await overwritten();
    expect((await change()).status).toBe(200);
    await stage.untilQuiet();
    expect(copy()).toBe('{"v":"same"}');
  });

  test('is looked at when the credentials are new: they may lead to another account', async () => {
    await synced('same');
    const before = stage.calls(type, 'DescribeSecret');
    const { access_key_id, secret_access_key } = stage.fake(type).destination;
    const change = { access_key_id, secret_access_key };
    expect((await stage.ask('PATCH', `sys/sync/destinations/${type}/${place}`, change)).status).toBe(200);
    await stage.untilQuiet();
    expect(stage.calls(type, 'DescribeSecret')).toBe(before + 1);
  });

  test('keeps the digits of big numbers, whole and by key', async () => {
    const raw = '{"data":{"id":12345678901234567890,"ratio":1.0,"small":1e-400,"deep":{"n":9007199254740993}}}';
    const secret = stage.name('digits');
    await stage.ask('POST', `secret/data/${secret}`, undefined, { raw });
    const { external_name } = only(await stage.set(type, place, secret));
    expect(stage.fake(type).objects().get(external_name)?.value).toBe(
      '{"id":12345678901234567890,"ratio":1.0,"small":1e-400,"deep":{"n":9007199254740993}}',
    );
    const host = await stage.destination('repo-host');
    const records = await stage.set('repo-host', host, secret);
    const values = records.map((record) => stage.fake('repo-host').objects().get(record.external_name)?.value);
    expect(values).toEqual(['12345678901234567890', '1.0', '1e-400', '{"n":9007199254740993}']);
  });

  test('goes through byte for byte: unicode, lines, a PEM', async () => {
    const pem = '-----BEGIN X-----\nAbC+/=\n-----END X-----\n';
    const texts = { unicode: 'zażółć gęślą 🔑', lines: 'a\r\nb\tc\\n', pem };
    const secret = await stage.secret(texts);
    const host = await stage.destination('deploy-host-project');
    const records = await stage.set('deploy-host-project', host, secret);
    const objects = stage.fake('deploy-host-project').objects();
    expect(Object.fromEntries(records.map((one) => [one.sub_key, objects.get(one.external_name)?.value]))).toEqual(
      texts,
    );
  });

  test('that is too large is refused by name and size, and the copy stays what it was', async () => {
    const { secret, copy } = await synced('small');
    await stage.secret({ v: 'x'.repeat(70_000) }, secret);
    await stage.untilQuiet();
    const record = only(await stage.associations(type, place, secret));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'too-large' } });
    expect(record.error?.message).toContain('at most 65536');
    expect(copy()).toBe('{"v":"small"}');
  });
});
