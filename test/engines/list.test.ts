import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineDefinition } from '#engines/contract.ts';
import { engines } from '#engines/index.ts';
import { firstMounts, openEngines, syncedSecrets } from '#engines/list.ts';
import type { HttpServer } from '#http/server/server.ts';
import { openMountTable } from '#mounts/table.ts';
import { engineOf } from '#path/contract/engine.ts';
import { operation } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { mountRows } from '#system/mounts/index.ts';
import { reader, root } from '../http/ask.ts';
import { sampleServer } from '../http/sample.ts';
import { engineParts, fixed, mounted } from './setup.ts';

/** A minimal engine, which stores one word for each of its mounts. */
const words = new Map<string, string>();
const word: EngineDefinition = {
  type: 'word',
  title: 'Word',
  names: ['words'],
  open: () => ({
    rows: [
      {
        pattern: 'word',
        help: 'Keeps a word.',
        operations: {
          read: operation(
            {},
            { summary: 'Read', run: async (_input, { mount }) => ({ data: { word: words.get(mount.id) ?? null } }) },
          ),
          write: operation(
            { word: text().meta({ description: 'The word' }) },
            {
              summary: 'Write',
              run: async (input, { mount }) => {
                words.set(mount.id, input.word);
                return undefined;
              },
            },
          ),
        },
      },
      {
        pattern: 'open',
        help: 'Reads a word without a policy.',
        operations: {
          read: operation({}, { summary: 'Read', unauthenticated: true, run: async () => ({ data: { open: true } }) }),
        },
      },
    ],
  }),
  async removeSecrets(_tx, mountId) {
    const name = words.get(mountId);
    words.delete(mountId);
    return name === undefined ? [] : [name];
  },
  synced: {
    readPath: (name) => `word/${name}`,
    open: () => ({
      current: async (mountId) => {
        const json = words.get(mountId);
        return json === undefined ? undefined : { version: 1, json };
      },
      below: async (mountId) => (words.has(mountId) ? ['word'] : []),
      hold: async (_tx, mountId, names) => (words.has(mountId) ? names : []),
      describe: async () => [],
      describeBelow: async () => [],
    }),
  },
};
const list = [...engines, word];

let it: Awaited<ReturnType<typeof engineParts>>;
let server: HttpServer;
beforeAll(async () => {
  it = await engineParts();
  const mounts = openMountTable({ ...it, engines: list, fixed });
  const system = { type: 'system', rows: mountRows({ ...it, mounts, engines: list }) };
  server = sampleServer({ engines: [system, ...openEngines(list, it.parts)], mounts });
});
afterAll(() => it.store.close());

async function ask(method: string, path: string, payload?: object, headers: Record<string, string> = root) {
  const body = payload === undefined ? {} : { payload: JSON.stringify(payload) };
  const { statusCode, body: text } = await server.inject({ method, url: `/v1/${path}`, headers, ...body });
  return { status: statusCode, json: text === '' ? undefined : JSON.parse(text) };
}

describe('an engine in the list', () => {
  test.each(['word', 'words'])('is mounted under the name %s, used, and removed with its content', async (type) => {
    expect((await ask('POST', `sys/mounts/my/${type}`, { type })).status).toBe(204);
    expect((await ask('POST', `my/${type}/word`, { word: 'hello' })).status).toBe(204);
    expect((await ask('GET', `my/${type}/word`)).json).toMatchObject({ data: { word: 'hello' }, mount_type: 'word' });
    expect((await ask('GET', `sys/mounts/my/${type}`)).json.data).toMatchObject({ type: 'word', options: {} });
    expect((await ask('DELETE', `sys/mounts/my/${type}`)).status).toBe(204);
    expect([...words.values()]).toEqual([]);
  });

  test('declares which of its paths need no policy', async () => {
    await ask('POST', 'sys/mounts/shut', { type: 'word' });
    expect((await ask('GET', 'shut/word', undefined, reader)).status).toBe(403);
    expect((await ask('GET', 'shut/open', undefined, {})).json.data).toEqual({ open: true });
  });

  test('has help and an OpenAPI document, and is named in the help of mounts', async () => {
    await ask('POST', 'sys/mounts/shown', { type: 'word' });
    const { json } = await ask('GET', 'shown/word?help=1');
    expect(json.help).toContain('Keeps a word.');
    expect(json.openapi.paths).toMatchObject({ '/': { post: { summary: 'Write' } } });
    const mounting = await ask('GET', 'sys/mounts/new?help=1');
    expect(JSON.stringify(mounting.json.openapi)).toContain('kv, word, kv-v1, generic, kv-v2 or words');
  });

  test('provides its secrets to the sync', async () => {
    const synced = syncedSecrets(list, it.parts);
    const mount = await mounted(it.mounts, 'versioned/', { version: '2' });
    const other = { ...mount, id: 'w', path: 'w/', type: 'word', options: null };
    words.set('w', '{"a":1}');
    expect(synced.titles).toEqual(['KV v2', 'Word']);
    expect(synced.readPath(mount, 'a/b')).toBe('versioned/data/a/b');
    expect(synced.readPath(other, 'a')).toBe('w/word/a');
    expect(synced.readPath({ ...mount, options: { version: '1' } }, 'a')).toBeUndefined();
    expect(synced.readPath({ ...mount, type: 'system' }, 'a')).toBeUndefined();
    expect(await synced.current(mount.id, 'a')).toBeUndefined();
    expect(await syncedSecrets([word], it.parts).current('w', 'a')).toEqual({ version: 1, json: '{"a":1}' });
    words.delete('w');
  });

  test('without versions treats the option like any other', async () => {
    expect((await ask('POST', 'sys/mounts/free', { type: 'word', options: { version: '7' } })).status).toBe(204);
    expect((await ask('POST', 'sys/mounts/free/tune', { options: { version: '3' } })).status).toBe(204);
    expect((await ask('GET', 'free/word')).status).toBe(200);
  });
});

test.each([
  [null, '1'],
  [{ version: '1' }, '1'],
  [{ version: '2' }, '2'],
  [{ other: 'x' }, '1'],
])('a kv mount with the options %j is served by version %s', (options, version) => {
  expect(engineOf(list, { type: 'kv', options })?.version).toBe(version);
});

test('a new store has one secrets mount, which is versioned for development', () => {
  const mount = { path: 'secret/', type: 'kv', description: 'key/value secret storage' };
  expect(firstMounts(engines, 'production')).toEqual([{ ...mount, options: { version: '1' } }]);
  expect(firstMounts(engines, 'development')).toEqual([{ ...mount, options: { version: '2' } }]);
});
