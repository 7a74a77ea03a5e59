import { afterEach, describe, expect, test } from 'vitest';
import { called } from '../called.ts';
import { callFake, failureOf, item, markA, markB, never, type Setting, start } from './setup.ts';

const name = 'keyferry-kv-1234-db';
const gone = { name, mark: markA, remoteVersion: null };
let setting: Setting;
afterEach(() => setting.close());

describe.each([
  ['kept recoverable', {}],
  ['purged', { purge_on_delete: true }],
])('where removed secrets are %s', (_mode, fields) => {
  test('a secret that another client wrote between our look and our deletion is recovered', async () => {
    setting = await start(fields);
    const { fake, driver } = setting;
    await driver.put(item(), never);
    const looks = fake.calls().get('versions') ?? 0;
    const removal = driver.remove(gone, never);
    await called(fake, 'versions', looks + 1);
    fake.seed(name, 'theirs');
    await removal;
    while (fake.objects().size === 0) await callFake(fake, 'GET', `/secrets/${name}`);
    expect(fake.objects().get(name)?.value).toBe('theirs');
    expect(fake.calls().get('purge')).toBeUndefined();
  });

  test('a secret whose tags were removed is recognised by its version', async () => {
    setting = await start(fields);
    const { fake, driver } = setting;
    const { remoteVersion } = await driver.put(item(), never);
    await callFake(fake, 'PATCH', `/secrets/${name}/${remoteVersion}`, { tags: {} });
    await driver.remove({ ...gone, remoteVersion }, never);
    expect(fake.objects().size).toBe(0);
  });

  test('a foreign version after ours is kept', async () => {
    setting = await start(fields);
    const { fake, driver } = setting;
    const { remoteVersion } = await driver.put(item(), never);
    await callFake(fake, 'PUT', `/secrets/${name}`, { value: 'theirs' });
    await driver.remove({ ...gone, remoteVersion }, never);
    expect(fake.objects().get(name)?.value).toBe('theirs');
  });
});

test('a deleted secret of another association is not purged', async () => {
  setting = await start({ purge_on_delete: true });
  const { fake, driver } = setting;
  await driver.put(item({ mark: markB }), never);
  await callFake(fake, 'DELETE', `/secrets/${name}`);
  await driver.remove(gone, never);
  expect(fake.calls().get('purge')).toBeUndefined();
});

test('a put that recovered a secret and was refused its value has changed something', async () => {
  setting = await start();
  const { fake, driver } = setting;
  await driver.put(item({ mark: markB }), never);
  await driver.remove({ ...gone, mark: markB }, never);
  const failure = failureOf(driver.put(item(), never));
  await called(fake, 'recover');
  fake.fail({ kind: 'denied' });
  expect(await failure).toMatchObject({ kind: 'permission', untouched: false });
});
