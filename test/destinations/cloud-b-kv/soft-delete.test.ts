import { afterEach, describe, expect, test } from 'vitest';
import { callFake, failureOf, item, markA, markB, never, type Setting, start } from './setup.ts';

const name = 'keyferry-kv-1234-db';
const gone = { name, mark: markA, remoteVersion: null };
let setting: Setting;
afterEach(() => setting.close());

describe.each([
  ['kept recoverable', {}],
  ['purged', { purge_on_delete: true }],
])('removed secrets are %s', (_mode, fields) => {
  test('a removed secret can be set again repeatedly', async () => {
    setting = await start(fields);
    const { fake, driver } = setting;
    for (const value of ['1', '2', '3']) {
      await driver.put(item({ value }), never);
      expect(fake.objects().get(name)?.value).toBe(value);
      await driver.remove(gone, never);
      expect(fake.objects().size).toBe(0);
    }
  });

  test('a removed secret can be set by another association and by an update', async () => {
    setting = await start(fields);
    const { fake, driver } = setting;
    await driver.put(item(), never);
    await driver.remove(gone, never);
    await driver.put(item({ mark: markB, value: 'second' }), never);
    await driver.remove({ ...gone, mark: markB }, never);
    await driver.put(item({ mode: 'update', value: 'third' }), never);
    expect(fake.objects().get(name)?.value).toBe('third');
  });
});

test('a removal keeps the versions for recovery by default and purges them with purge_on_delete', async () => {
  setting = await start();
  const { fake, driver, open } = setting;
  await driver.put(item(), never);
  await driver.remove(gone, never);
  expect(fake.calls().get('purge')).toBeUndefined();
  // A secret that an earlier removal deleted is purged too, and a repeated purge succeeds.
  const purging = open({ purge_on_delete: true });
  await purging.remove(gone, never);
  await purging.remove(gone, never);
  await purging.put(item(), never);
  expect(fake.calls().get('recover')).toBeUndefined();
});

test('a create does not recover a secret that others deleted, an adoption does', async () => {
  setting = await start();
  const { fake, driver } = setting;
  fake.seed(name, 'theirs');
  await callFake(fake, 'DELETE', `/secrets/${name}`);
  const failure = await failureOf(driver.put(item(), never));
  expect(failure).toMatchObject({ kind: 'conflict', message: expect.stringContaining('deleted') });
  expect(fake.calls().get('recover')).toBeUndefined();
  await driver.put(item({ mode: 'adopt', value: 'ours' }), never);
  expect(fake.objects().get(name)?.value).toBe('ours');
});

test('a deleted secret of others is recovered, never purged', async () => {
  setting = await start({ purge_on_delete: true });
  const { fake, driver } = setting;
  fake.seed(name, 'theirs');
  await callFake(fake, 'DELETE', `/secrets/${name}`);
  await driver.remove(gone, never);
  await driver.put(item({ mode: 'adopt', value: 'ours' }), never);
  expect(fake.calls().get('purge')).toBeUndefined();
  expect(fake.calls().get('recover')).toBe(1);
});

test('a create continues its own aborted recovery', async () => {
  setting = await start();
  const { fake, driver } = setting;
  await driver.put(item({ mark: markB }), never);
  await driver.remove({ ...gone, mark: markB }, never);
  const abort = new AbortController();
  const cut = failureOf(driver.put(item({ value: 'again' }), abort.signal));
  while (fake.calls().get('recover') === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort();
  expect((await cut).kind).toBe('timeout');
  await driver.put(item({ value: 'again' }), never);
  expect(fake.objects().get(name)?.value).toBe('again');
});

test('another process continues a recovery that a create did not finish', async () => {
  setting = await start();
  const { fake, driver, open } = setting;
  await driver.put(item({ mark: markB }), never);
  await driver.remove({ ...gone, mark: markB }, never);
  const abort = new AbortController();
  const cut = failureOf(driver.put(item({ value: 'again' }), abort.signal));
  while (fake.calls().get('recover') === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort();
  await cut;
  while (fake.objects().size === 0) await callFake(fake, 'GET', `/secrets/${name}`);
  // The other driver does not know of the recovery.
  await open().put(item({ value: 'again' }), never);
  expect(fake.objects().get(name)).toEqual({ value: 'again', tags: item().tags });
});

test('a removal whose release got no answer is completed by the next one', async () => {
  setting = await start();
  const { fake, driver } = setting;
  await driver.put(item(), never);
  await driver.inspect(name, never);
  fake.fail({ kind: 'lost-answer', times: 1 });
  expect((await failureOf(driver.remove(gone, never))).kind).toBe('network');
  await driver.remove(gone, never);
  expect(fake.objects().size).toBe(0);
});

test('a put enables a secret that was disabled', async () => {
  setting = await start();
  const { fake, driver } = setting;
  const { remoteVersion } = await driver.put(item(), never);
  const disabled = await callFake(fake, 'PATCH', `/secrets/${name}/${remoteVersion}`, {
    attributes: { enabled: false },
  });
  expect(disabled).toMatchObject({ attributes: { enabled: false } });
  expect(await driver.inspect(name, never)).toMatchObject({ remoteVersion, mark: markA });
  await driver.put(item({ mode: 'update', value: 'new' }), never);
  expect(await callFake(fake, 'GET', `/secrets/${name}`)).toMatchObject({
    value: 'new',
    attributes: { enabled: true },
  });
});
