import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '#core/json/json.ts';
import { kv } from './setup.ts';

let it: Awaited<ReturnType<typeof kv>>;
beforeAll(async () => {
  it = await kv();
});
afterAll(() => it.store.close());

const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('writing', () => {
  test('a write returns the number and the times of the new version', async () => {
    const reply = await it.call('write', 'data/first', { data: { a: '1' } });
    expect(reply).toEqual({
      data: { version: 1, created_time: now, deletion_time: '', destroyed: false, custom_metadata: null },
    });
    const second = await it.call('write', 'data/first', { data: {} });
    expect(second?.data).toMatchObject({ version: 2 });
  });

  test('a write without data or path is refused', async () => {
    await expect(it.call('write', 'data/x', {})).rejects.toThrow('no data provided');
    await expect(it.call('patch', 'data/x', { data: null })).rejects.toThrow('no data provided');
    await expect(it.call('write', 'data/', { data: {} })).rejects.toThrow('missing path');
    await expect(it.call('write', 'data/a\0b', { data: {} })).rejects.toThrow('cannot be stored');
    await expect(it.call('write', `data/${'x'.repeat(2_049)}`, { data: {} })).rejects.toThrow(
      'is longer than 2048 bytes',
    );
  });

  test('a write of null is a version without members', async () => {
    expect((await it.call('write', 'data/null', { data: null }))?.data).toMatchObject({ version: 1 });
    expect((await it.call('read', 'data/null'))?.data).toMatchObject({ data: {}, metadata: { version: 1 } });
    await it.call('patch', 'data/null', { data: { a: 1 } });
    expect((await it.call('read', 'data/null'))?.data).toMatchObject({ data: { a: 1 } });
  });

  test('data that is nested too deeply is refused', async () => {
    let deep: object = {};
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    await expect(it.call('write', 'data/deep', { data: { deep } })).rejects.toThrow('nested too deeply');
  });

  test('an error about the data does not show it', async () => {
    const failed = it.call('write', 'data/x', { data: 'hunter2' });
    await expect(failed).rejects.toThrow('field "data": expected object');
    await expect(failed).rejects.not.toThrow('hunter2');
  });

  test.each([
    [{ cas: 1 }, 'check-and-set parameter did not match the current version'],
    [{ cas: -1 }, 'check-and-set parameter did not match the current version'],
    [{ cas: 1e12 }, 'check-and-set parameter did not match the current version'],
    [{ cas: {} }, 'error parsing check-and-set parameter'],
    [{ cas: 'x' }, 'error parsing check-and-set parameter'],
  ])('cas %j is refused for a missing secret', async (options, message) => {
    await expect(it.call('write', 'data/none', { data: {}, options })).rejects.toThrow(message);
    expect(await it.call('read', 'data/none')).toBeUndefined();
  });

  test('cas allows a write only for the current version', async () => {
    await it.call('write', 'data/cas', { data: {}, options: { cas: 0 } });
    await expect(it.call('write', 'data/cas', { data: {}, options: { cas: 0 } })).rejects.toThrow('did not match');
    await expect(it.call('write', 'data/cas', { data: {}, options: { cas: 2 } })).rejects.toThrow('did not match');
    const reply = await it.call('write', 'data/cas', { data: {}, options: { cas: '1' } });
    expect(reply?.data).toMatchObject({ version: 2 });
  });

  test('cas 0 allows the first write when only metadata exists', async () => {
    await it.call('write', 'metadata/described', { max_versions: 3 });
    const reply = await it.call('write', 'data/described', { data: {}, options: { cas: 0 } });
    expect(reply?.data).toMatchObject({ version: 1 });
  });

  test('a write without a required cas is refused, by the setting of the secret and of the mount', async () => {
    await it.call('write', 'metadata/strict', { cas_required: true });
    await expect(it.call('write', 'data/strict', { data: {} })).rejects.toThrow(
      'check-and-set parameter required for this call',
    );
    await it.call('write', 'config', { cas_required: true });
    await expect(it.call('write', 'data/loose', { data: {} })).rejects.toThrow('required for this call');
    await it.call('write', 'data/loose', { data: {}, options: { cas: 0 } });
    await it.call('write', 'config', { cas_required: false });
  });

  test('the database does not contain the value in plain text', async () => {
    await it.call('write', 'data/marked', { data: { key: 'MARKER-7f3' } });
    const { rows } = await sql`select 1 from kv_versions where position('MARKER-7f3'::bytea in data) > 0`.execute(
      it.store.db,
    );
    expect(rows).toEqual([]);
  });

  test('data that was copied to another row cannot be decrypted', async () => {
    await it.call('write', 'data/source', { data: { a: 1 } });
    await it.call('write', 'data/target', { data: { b: 1 } });
    await sql`update kv_versions set data = (select data from kv_versions where path = 'source')
               where path = 'target'`.execute(it.store.db);
    await expect(it.call('read', 'data/target')).rejects.toThrow('damaged');
  });
});

describe('reading', () => {
  test('numbers keep their digits and keys their order', async () => {
    const text = '{"b":12345678901234567890,"a":1.0,"c":{"z":1e400,"y":-0}}';
    await it.call('write', 'data/digits', { data: parseJson(text) });
    const reply = await it.call('read', 'data/digits');
    expect(JSON.stringify(reply?.data)).toContain(`"data":${text}`);
  });

  test('a version is read by its number, and 0 is the current one', async () => {
    await it.call('write', 'data/many', { data: { n: 1 } });
    await it.call('write', 'data/many', { data: { n: 2 } });
    expect((await it.call('read', 'data/many', { version: '1' }))?.data).toMatchObject({ data: { n: 1 } });
    expect((await it.call('read', 'data/many', { version: '0' }))?.data).toMatchObject({ data: { n: 2 } });
    expect((await it.call('read', 'data/many'))?.data).toMatchObject({ data: { n: 2 }, metadata: { version: 2 } });
    expect(await it.call('read', 'data/many', { version: '3' })).toBeUndefined();
    expect(await it.call('read', 'data/many', { version: '99999999999' })).toBeUndefined();
  });

  test('paths may contain any characters', async () => {
    for (const path of ['a b/ü/%2F', '.hidden', 'x.', '__proto__', 'd/*', 'quote\'"', '🔑/🔑']) {
      await it.call('write', `data/${path}`, { data: { path } });
      expect((await it.call('read', `data/${path}`))?.data).toMatchObject({ data: { path } });
    }
  });

  test('keys that are special to JavaScript are ordinary keys', async () => {
    const text = '{"__proto__":{"a":"1"},"constructor":"2"}';
    await it.call('write', 'data/special', { data: parseJson(text) });
    await it.call('patch', 'data/special', { data: parseJson('{"__proto__":{"b":"3"}}') });
    const reply = await it.call('read', 'data/special');
    expect(JSON.stringify(reply?.data)).toContain('"data":{"__proto__":{"a":"1","b":"3"},"constructor":"2"}');
  });

  test('many concurrent reads each get their own secret', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `bulk/${index}`);
    await Promise.all(names.map((name) => it.call('write', `data/${name}`, { data: { name } })));
    const replies = await Promise.all([...names, 'bulk/none'].map((name) => it.call('read', `data/${name}`)));
    expect(replies.pop()).toBeUndefined();
    replies.forEach((reply, index) => {
      expect(reply?.data).toMatchObject({ data: { name: names[index] } });
    });
  });
});

describe('patching', () => {
  test('a patch merges into the current version and creates a new one', async () => {
    await it.call('write', 'data/patched', { data: parseJson('{"keep":1.0,"drop":"x","deep":{"a":1,"b":2}}') });
    const reply = await it.call('patch', 'data/patched', {
      data: { drop: null, deep: { b: null, c: 3 }, added: { n: null } },
    });
    expect(reply?.data).toMatchObject({ version: 2 });
    const read = await it.call('read', 'data/patched');
    expect(JSON.stringify(read?.data)).toContain('"data":{"keep":1.0,"deep":{"a":1,"c":3},"added":{}}');
  });

  test('a patch of a secret that is missing, deleted or has only metadata is 404', async () => {
    await expect(it.call('patch', 'data/nothing', { data: {} })).rejects.toMatchObject({ kind: 'not-found' });
    await it.call('write', 'metadata/empty', { max_versions: 1 });
    await expect(it.call('patch', 'data/empty', { data: {} })).rejects.toMatchObject({ kind: 'not-found' });
    await it.call('write', 'data/gone', { data: {} });
    await it.call('delete', 'data/gone');
    expect(await it.call('patch', 'data/gone', { data: {} })).toMatchObject({ status: 404, data: { version: 1 } });
  });

  test('a patch obeys cas', async () => {
    await it.call('write', 'data/patchcas', { data: {} });
    await expect(it.call('patch', 'data/patchcas', { data: {}, options: { cas: 2 } })).rejects.toThrow('did not match');
    await it.call('write', 'metadata/patchcas', { cas_required: true });
    await expect(it.call('patch', 'data/patchcas', { data: {} })).rejects.toThrow('required for this call');
    const reply = await it.call('patch', 'data/patchcas', { data: {}, options: { cas: 1 } });
    expect(reply?.data).toMatchObject({ version: 2 });
    await expect(it.call('patch', 'data/patchcas', {})).rejects.toThrow('no data provided');
  });

  test('concurrent patches lose nothing', async () => {
    await it.call('write', 'data/merge', { data: {} });
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => it.call('patch', 'data/merge', { data: { [key]: 1 } })));
    const reply = await it.call('read', 'data/merge');
    expect(reply?.data).toMatchObject({ data: Object.fromEntries(keys.map((key) => [key, 1])) });
  });
});

test('a secret exists once it has data or metadata, and no longer when its metadata is deleted', async () => {
  const exists = (path: string) => it.exists('data/*path', `data/${path}`);
  expect(await exists('new')).toBe(false);
  await it.call('write', 'metadata/new', { max_versions: 1 });
  expect(await exists('new')).toBe(true);
  await it.call('delete', 'metadata/new');
  expect(await exists('new')).toBe(false);
});
