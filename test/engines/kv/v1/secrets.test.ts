import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, parseJson } from '#core/json/json.ts';
import { kvV1 } from '#engines/kv/v1/index.ts';
import { kvV2 } from '#engines/kv/v2/index.ts';
import type { Mount } from '#path/contract/mount.ts';
import { type Call, calling, engineParts, existence, mounted } from '../../setup.ts';

let it: Awaited<ReturnType<typeof engineParts>>;
let mount: Mount;
let call: Call;
beforeAll(async () => {
  it = await engineParts();
  mount = await mounted(it.mounts, 'secret/', { version: '1' });
  call = calling(kvV1.open(it.parts), mount);
});
afterAll(() => it.store.close());

test('a secret is read as written, including the digits of numbers and a field named path', async () => {
  const text = '{"path":"x","n":12345678901234567890,"deep":{"a":[1.0]}}';
  const given = parseJson(text);
  if (!isJsonObject(given)) throw new Error('not an object');
  expect(await call('write', 'team/a', given)).toBeUndefined();
  const reply = await call('read', 'team/a');
  expect(JSON.stringify(reply?.data)).toBe(text);
  expect(reply?.leaseDuration).toBe(2_764_800);
});

test('a write replaces the whole secret', async () => {
  await call('write', 'b', { a: '1' });
  await call('write', 'b', { c: '2' });
  expect((await call('read', 'b'))?.data).toEqual({ c: '2' });
});

test.each([
  [{ ttl: '1h' }, 3600],
  [{ lease: 60 }, 60],
  [{ ttl: '10', lease: '1h' }, 10],
  [{ ttl: 'soon' }, 2_764_800],
])('%j has a lease of %i seconds', async (data, seconds) => {
  await call('write', 'ttl', data);
  expect((await call('read', 'ttl'))?.leaseDuration).toBe(seconds);
});

test('a write needs a path and fields', async () => {
  await expect(call('write', 'x', {})).rejects.toThrow('missing data fields');
  await expect(call('write', '', { a: '1' })).rejects.toThrow('missing path');
});

test('a missing secret is read as undefined, and deleting it succeeds', async () => {
  expect(await call('read', 'none')).toBeUndefined();
  expect(await call('delete', 'none')).toBeUndefined();
  await call('write', 'c', { a: '1' });
  await call('delete', 'c');
  expect(await call('read', 'c')).toBeUndefined();
});

test('folders are listed, but secrets are not', async () => {
  await call('write', 'f/one', { a: '1' });
  await call('write', 'f/g/two', { a: '1' });
  expect((await call('list', 'f/'))?.data).toEqual({ keys: ['g/', 'one'] });
  expect((await call('list', 'f'))?.data).toEqual({ keys: ['g/', 'one'] });
  expect((await call('list', 'f/one'))?.data).toEqual({ keys: [] });
});

test('a row knows whether its secret exists', async () => {
  expect(await existence(kvV1.open(it.parts), mount, '*path', 'exists')).toBe(false);
  await call('write', 'exists', { a: '1' });
  expect(await existence(kvV1.open(it.parts), mount, '*path', 'exists')).toBe(true);
});

test('concurrent writes leave one of them', async () => {
  const numbers = Array.from({ length: 30 }, (_, n) => n);
  await Promise.all(numbers.map((n) => call('write', 'raced', { n, again: n })));
  const data = (await call('read', 'raced'))?.data;
  expect(numbers.map((n) => ({ n, again: n }))).toContainEqual(data);
});

test('a mount that is upgraded to version 2 has its secrets as version 1', async () => {
  await call('write', 'kept/deep', { a: '1' });
  await call('write', 'kept/deep', { a: '2' });
  await it.mounts.tune('secret/', ({ description, config }) => ({ description, config, options: { version: '2' } }));
  const upgraded = await it.mounts.resolve('secret/data/kept/deep');
  expect(upgraded?.id).toBe(mount.id);
  const second = calling(kvV2.open(it.parts), mount);
  expect((await second('read', 'data/kept/deep'))?.data).toMatchObject({ data: { a: '2' }, metadata: { version: 1 } });
  expect((await second('write', 'data/kept/deep', { data: {}, options: { cas: 1 } }))?.data).toMatchObject({
    version: 2,
  });
});
