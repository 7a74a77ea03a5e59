import { afterEach, beforeEach, expect, test } from 'vitest';
import { definition } from '#destinations/cloud-c-sm/index.ts';
import { callFake, failureOf, item, markA, markB, never, type Setting, start } from './setup.ts';

const name = 'keyferry-kv-1234-db';
let setting: Setting;
beforeEach(async () => {
  setting = await start();
});
afterEach(() => setting.close());

test('a put creates the secret with its value and labels, and returns its version', async () => {
  const { fake, driver } = setting;
  const tags = { ...definition.tags.builtIn(markA), team: 'payments' };
  const receipt = await driver.put(item({ tags }), never);
  expect(receipt).toEqual({ remoteVersion: expect.stringMatching(/^1 "[0-9a-f]+"$/) });
  expect(fake.objects()).toEqual(new Map([[name, { value: item().value.reveal(), tags }]]));
  expect(await driver.inspect(name, never)).toMatchObject({ ...receipt, mark: markA });
  expect(fake.calls().get('access')).toBeUndefined();
});

test.each([
  ['text beyond ASCII', 'grüße 🗝 \u0000 \u2028'],
  ['line breaks', 'a\r\nb\n\n'],
  ['the largest size', 'x'.repeat(65_536)],
])('a value of %s is stored byte for byte', async (_what, value) => {
  await setting.driver.put(item({ value }), never);
  expect([...setting.fake.objects().values()].map((object) => object.value)).toEqual([value]);
});

test('a first put is two calls, an update without new labels two more', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  await driver.put(item({ mode: 'update', value: 'second' }), never);
  expect(Object.fromEntries(fake.calls())).toEqual({ create: 1, addVersion: 2, get: 1 });
});

test('a repeated create finds its own secret by the mark', async () => {
  const { fake, driver, open } = setting;
  await driver.put(item(), never);
  expect((await open().put(item({ value: 'second' }), never)).remoteVersion).toMatch(/^2 /);
  expect(fake.objects().get(name)?.value).toBe('second');
});

test('one of our secrets that never got a version is completed', async () => {
  const { fake, driver } = setting;
  await callFake(fake, 'POST', `?secretId=${name}`, { replication: { automatic: {} }, labels: item().tags });
  expect(await driver.inspect(name, never)).toMatchObject({ remoteVersion: null, mark: markA });
  await driver.put(item(), never);
  expect(fake.objects().get(name)?.value).toBe(item().value.reveal());
});

test('a create keeps a foreign secret, an adoption takes it over', async () => {
  const { fake, driver } = setting;
  fake.seed(name, 'theirs');
  const failure = await failureOf(driver.put(item(), never));
  expect(failure).toMatchObject({ kind: 'conflict', message: expect.stringContaining('adopt') });
  expect(fake.objects().get(name)).toEqual({ value: 'theirs', tags: {} });
  await driver.put(item({ mode: 'adopt' }), never);
  expect(fake.objects().get(name)).toEqual({ value: item().value.reveal(), tags: item().tags });
});

test('a create sees the secret of another association as a foreign one', async () => {
  await setting.driver.put(item({ mark: markB }), never);
  expect((await failureOf(setting.driver.put(item(), never))).kind).toBe('conflict');
});

test('an update changes our labels, keeps those of others, and recreates a secret that has vanished', async () => {
  const { fake, driver } = setting;
  const tags = definition.tags.builtIn(markA);
  await driver.put(item({ tags: { ...tags, old: 'label' } }), never);
  const labels = { ...tags, old: 'label', theirs: 'stays' };
  await callFake(fake, 'PATCH', `/${name}?updateMask=labels`, { labels });
  await driver.put(item({ mode: 'update', staleTags: ['old'], tags: { ...tags, new: 'label' } }), never);
  expect(fake.objects().get(name)?.tags).toEqual({ ...tags, new: 'label', theirs: 'stays' });
  await driver.put(item({ name: 'never-there', mode: 'update' }), never);
  expect(fake.objects().has('never-there')).toBe(true);
});

test('removing twice succeeds, and the secret can be created again', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  const gone = { name, mark: markA, remoteVersion: null };
  await driver.remove(gone, never);
  await driver.remove(gone, never);
  expect(fake.objects().size).toBe(0);
  expect(await driver.inspect(name, never)).toBeUndefined();
  await driver.put(item(), never);
  expect(fake.objects().size).toBe(1);
});

test('a disabled newest version counts as none', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  await callFake(fake, 'POST', `/${name}/versions/1:disable`);
  expect(await driver.inspect(name, never)).toMatchObject({ remoteVersion: null, mark: markA });
});

test('with destroy_old_versions only the new version and those that others disabled are left', async () => {
  const { fake, driver, open } = setting;
  for (const value of ['1', '2', '3']) await driver.put(item({ mode: 'adopt', value }), never);
  await callFake(fake, 'POST', `/${name}/versions/2:disable`);
  await open({ destroy_old_versions: true }).put(item({ mode: 'update', value: '4' }), never);
  const listed = await callFake(fake, 'GET', `/${name}/versions`);
  const states = [{ state: 1 }, { state: 3 }, { state: 2 }, { state: 3 }];
  expect(listed).toMatchObject({ versions: states });
  expect(fake.objects().get(name)?.value).toBe('4');
});

const ring = (location: string) => `projects/p/locations/${location}/keyRings/r/cryptoKeys/k`;
const encrypted = (location: string) => ({ customerManagedEncryption: { kmsKeyName: ring(location) } });
test.each([
  [{}, { automatic: {} }],
  [{ global_kms_key: ring('global') }, { automatic: encrypted('global') }],
  [{ kms_key_id: ring('global') }, { automatic: encrypted('global') }],
  [
    { replica_regions: { 'europe-west1': '', 'us-east1': '' } },
    { userManaged: { replicas: [{ location: 'europe-west1' }, { location: 'us-east1' }] } },
  ],
  [
    { replica_regions: { 'europe-west1': ring('europe-west1'), 'us-east1': ring('us-east1') } },
    {
      userManaged: {
        replicas: [
          { location: 'europe-west1', ...encrypted('europe-west1') },
          { location: 'us-east1', ...encrypted('us-east1') },
        ],
      },
    },
  ],
  [
    { replication_locations: 'europe-west1,us-east1' },
    { userManaged: { replicas: [{ location: 'europe-west1' }, { location: 'us-east1' }] } },
  ],
  [
    { replication_locations: ['europe-west1'], locational_kms_keys: { 'europe-west1': ring('europe-west1') } },
    { userManaged: { replicas: [{ location: 'europe-west1', ...encrypted('europe-west1') }] } },
  ],
])('with %j a secret is created with the replication %j', async (fields, replication) => {
  await setting.open(fields).put(item(), never);
  expect(await callFake(setting.fake, 'GET', `/${name}`)).toMatchObject({ replication });
});

test('many first calls at once lose no value', async () => {
  const { fake, driver } = setting;
  const names = Array.from({ length: 20 }, (_, index) => `secret-${index}`);
  await Promise.all(names.map((id) => driver.put(item({ name: id, value: `value of ${id}` }), never)));
  expect([...fake.objects()].every(([id, object]) => object.value === `value of ${id}`)).toBe(true);
  expect(fake.objects().size).toBe(20);
});

test.each(['', 'with/slash', 'a'.repeat(256), 'ümlaut'])('the name %j is refused without a call', async (bad) => {
  expect((await failureOf(setting.driver.put(item({ name: bad }), never))).kind).toBe('name');
  expect(setting.fake.calls().size).toBe(0);
});

test.each([
  ['', 'invalid', 'empty'],
  ['ü'.repeat(32_769), 'too-large', '65538 bytes'],
])('an invalid value is refused without a call', async (value, kind, text) => {
  const failure = await failureOf(setting.driver.put(item({ value }), never));
  expect(failure).toMatchObject({ kind, message: expect.stringContaining(text) });
  expect(setting.fake.calls().size).toBe(0);
});
