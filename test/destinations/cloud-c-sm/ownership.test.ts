import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { remove } from '#destinations/cloud-c-sm/remove.ts';
import { called } from '../called.ts';
import { callFake, failureOf, item, markA, never, type Setting, start } from './setup.ts';

const name = 'keyferry-kv-1234-db';
const gone = { name, mark: markA, remoteVersion: '1' };
let setting: Setting;
beforeEach(async () => {
  setting = await start();
});
afterEach(() => setting.close());

test('a secret that was recreated between our look and our deletion is kept', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  const removal = driver.remove(gone, never);
  await called(fake, 'get');
  fake.seed(name, 'theirs');
  await removal;
  expect(fake.objects().get(name)?.value).toBe('theirs');
  expect(fake.calls().get('delete')).toBe(1);
});

test('the removal of a secret that others keep changing ends as unavailable', async () => {
  let looks = 0;
  const busy = {
    find: async () => ({ labels: item().tags, etag: `"${++looks}"` }),
    remove: async () => 'changed' as const,
  };
  expect(await failureOf(remove(busy, gone, silentLog))).toMatchObject({ kind: 'unavailable' });
  expect(looks).toBe(3);
});

test('a recreated foreign secret is kept, although its version has the same number as ours', async () => {
  const { fake, driver } = setting;
  const { remoteVersion } = await driver.put(item(), never);
  fake.seed(name, 'theirs');
  expect(await driver.inspect(name, never)).toMatchObject({ remoteVersion: expect.stringMatching(/^1 /), mark: null });
  await driver.remove({ ...gone, remoteVersion }, never);
  expect(fake.objects().get(name)?.value).toBe('theirs');
});

test('a put that created the secret and was refused its value has changed something', async () => {
  const { fake, driver } = setting;
  const failure = failureOf(driver.put(item(), never));
  await called(fake, 'create');
  fake.fail({ kind: 'denied' });
  expect(await failure).toMatchObject({ kind: 'permission', untouched: false });
  expect(await callFakeHealed()).toMatchObject({ labels: item().tags });
});

async function callFakeHealed(): Promise<unknown> {
  setting.fake.heal();
  return callFake(setting.fake, 'GET', `/${name}`);
}
