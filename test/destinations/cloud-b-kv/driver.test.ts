import { afterEach, beforeEach, expect, test } from 'vitest';
import { definition } from '#destinations/cloud-b-kv/index.ts';
import { failureOf, item, markA, markB, never, type Setting, start } from './setup.ts';

let setting: Setting;
beforeEach(async () => {
  setting = await start();
});
afterEach(() => setting.close());

test('a put creates the secret with its value and tags, and returns its version', async () => {
  const { fake, driver } = setting;
  const tags = { ...definition.tags.builtIn(markA), team: 'payments' };
  const receipt = await driver.put(item({ tags }), never);
  expect(receipt.remoteVersion).toMatch(/^[0-9a-f]{32}$/);
  expect(fake.objects()).toEqual(new Map([['keyferry-kv-1234-db', { value: item().value.reveal(), tags }]]));
  expect(await driver.inspect('keyferry-kv-1234-db', never)).toMatchObject({ ...receipt, mark: markA });
});

test.each([
  ['text beyond ASCII', 'grüße 🗝 \u0000 \u2028'],
  ['line breaks', 'a\r\nb\n\n'],
  ['nothing', ''],
  ['the largest size', 'x'.repeat(25_600)],
])('a value of %s is stored byte for byte', async (_what, value) => {
  await setting.driver.put(item({ value }), never);
  expect([...setting.fake.objects().values()].map((object) => object.value)).toEqual([value]);
});

test('a repeated create finds its own secret by the mark and changes nothing but the version', async () => {
  const { fake, driver, open } = setting;
  await driver.put(item(), never);
  await open().put(item({ value: 'second' }), never);
  expect(fake.objects().get('keyferry-kv-1234-db')?.value).toBe('second');
});

test('a create keeps a foreign secret, an adoption takes it over', async () => {
  const { fake, driver } = setting;
  fake.seed('keyferry-kv-1234-db', 'theirs');
  const failure = await failureOf(driver.put(item(), never));
  expect(failure).toMatchObject({ kind: 'conflict', message: expect.stringContaining('adopt') });
  expect(fake.objects().get('keyferry-kv-1234-db')?.value).toBe('theirs');
  await driver.put(item({ mode: 'adopt' }), never);
  expect(fake.objects().get('keyferry-kv-1234-db')?.value).toBe(item().value.reveal());
});

test('a create sees the secret of another association as a foreign one', async () => {
  await setting.driver.put(item({ mark: markB }), never);
  expect((await failureOf(setting.driver.put(item(), never))).kind).toBe('conflict');
});

test('names ignore case', async () => {
  const { fake, driver } = setting;
  fake.seed('Keyferry-KV-1234-DB', 'theirs');
  expect((await failureOf(driver.put(item(), never))).kind).toBe('conflict');
  expect(definition.names.key('Keyferry-KV')).toBe(definition.names.key('keyferry-kv'));
});

test('an update replaces all tags, and recreates a secret that has vanished', async () => {
  const { fake, driver } = setting;
  const tags = definition.tags.builtIn(markA);
  await driver.put(item({ tags: { ...tags, old: 'tag' } }), never);
  await driver.put(item({ mode: 'update', staleTags: ['old'], tags: { ...tags, new: 'tag' } }), never);
  expect(fake.objects().get('keyferry-kv-1234-db')?.tags).toEqual({ ...tags, new: 'tag' });
  await driver.put(item({ name: 'never-there', mode: 'update' }), never);
  expect(fake.objects().has('never-there')).toBe(true);
});

test('removing twice, or a secret that never existed, succeeds', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  const gone = { name: 'keyferry-kv-1234-db', mark: markA, remoteVersion: null };
  await driver.remove(gone, never);
  await driver.remove(gone, never);
  await driver.remove({ ...gone, name: 'never-there' }, never);
  expect(fake.objects().size).toBe(0);
  expect(await driver.inspect('keyferry-kv-1234-db', never)).toBeUndefined();
});

test('the newest of several versions of the same second is found', async () => {
  const { driver } = setting;
  await driver.put(item(), never);
  const receipts = [];
  for (const value of ['1', '2', '3']) receipts.push(await driver.put(item({ mode: 'update', value }), never));
  expect(await driver.inspect('keyferry-kv-1234-db', never)).toMatchObject({ ...receipts.at(-1), mark: markA });
});

test('an inspection of a secret with a single version does not read its value', async () => {
  const { fake, driver } = setting;
  await driver.put(item(), never);
  await driver.inspect('keyferry-kv-1234-db', never);
  expect(fake.calls().get('get')).toBeUndefined();
});

test('the newest of more versions than a page shows is found with two calls, and a change takes one more', async () => {
  const { fake, driver } = setting;
  for (let count = 0; count < 30; count++) await driver.put(item({ mode: 'adopt', value: String(count) }), never);
  const calls = () => [...fake.calls()].reduce((sum, [, count]) => sum + count, 0);
  const start = calls();
  const last = await driver.put(item({ mode: 'update', value: 'last' }), never);
  expect(calls() - start).toBe(3);
  expect(await driver.inspect('keyferry-kv-1234-db', never)).toMatchObject({ ...last, mark: markA });
  expect(calls() - start).toBe(5);
});

test('many first calls at once are challenged once, log in once and lose no value', async () => {
  const { fake, driver } = setting;
  const names = Array.from({ length: 20 }, (_, index) => `secret-${index}`);
  await Promise.all(names.map((name) => driver.put(item({ name, mode: 'update', value: `value of ${name}` }), never)));
  expect([...fake.objects()].every(([name, object]) => object.value === `value of ${name}`)).toBe(true);
  expect(fake.objects().size).toBe(20);
  expect(fake.calls().get('login')).toBe(1);
  expect(fake.calls().get('challenge')).toBe(1);
});

test.each(['', 'with/slash', 'a'.repeat(128), 'ümlaut'])('the name %j is refused without a call', async (name) => {
  expect((await failureOf(setting.driver.put(item({ name }), never))).kind).toBe('name');
  expect(setting.fake.calls().size).toBe(0);
});

test('a value beyond the limit is refused without a call', async () => {
  const failure = await failureOf(setting.driver.put(item({ value: 'ü'.repeat(12_801) }), never));
  expect(failure).toMatchObject({ kind: 'too-large', message: expect.stringContaining('25602 bytes') });
  expect(setting.fake.calls().size).toBe(0);
});
