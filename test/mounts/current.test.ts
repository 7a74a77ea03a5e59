import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { findMount } from '#mounts/copy.ts';
import { openMountTable } from '#mounts/table.ts';
import { engineParts, fixed, mounted } from '../engines/setup.ts';

let it: Awaited<ReturnType<typeof engineParts>>;
beforeAll(async () => {
  it = await engineParts();
});
afterAll(() => it.store.close());
afterEach(() => vi.restoreAllMocks());

const otherProcess = () => openMountTable({ ...it, fixed });

/** Counts the reads of the whole table and of its revision during the work. */
async function readings(work: () => Promise<unknown>): Promise<{ readonly tables: number; readonly looks: number }> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await work();
  const texts = query.mock.calls.map(([one]: readonly unknown[]) =>
    typeof one === 'object' && one !== null ? String(Reflect.get(one, 'text')) : String(one),
  );
  query.mockRestore();
  return {
    tables: texts.filter((text) => text.includes('json_agg(m) from mounts')).length,
    looks: texts.filter((text) => text.startsWith('select revision from revisions')).length,
  };
}

test('an unknown path does not cause another read of the table', async () => {
  const other = otherProcess();
  await other.resolve('sys/health');
  const { tables, looks } = await readings(async () => {
    for (let index = 0; index < 20; index += 1) expect(await other.resolve(`nowhere-${index}/a`)).toBeUndefined();
  });
  expect(tables).toBe(0);
  expect(looks).toBe(20);
});

test('many requests for unknown paths share their reads of the revision', async () => {
  const other = otherProcess();
  await other.resolve('sys/health');
  const { tables, looks } = await readings(() =>
    Promise.all(Array.from({ length: 500 }, (_, index) => other.resolve(`nowhere-${index}/a`))),
  );
  expect(tables).toBe(0);
  expect(looks).toBeLessThanOrEqual(2);
});

test('a change is read once, however many requests wait for it', async () => {
  const other = otherProcess();
  await other.resolve('sys/health');
  await mounted(it.mounts, 'shared-reading/', null);
  const { tables } = await readings(async () => {
    const found = await Promise.all(Array.from({ length: 500 }, () => other.resolve('shared-reading/a')));
    expect(new Set(found.map((mount) => mount?.path))).toEqual(new Set(['shared-reading/']));
  });
  expect(tables).toBe(1);
});

test('a request that arrives during a read of the table sees a change that was made meanwhile', async () => {
  const other = otherProcess();
  const first = other.resolve('made-meanwhile/a');
  await mounted(it.mounts, 'made-meanwhile/', null);
  await first;
  expect((await other.resolve('made-meanwhile/a'))?.path).toBe('made-meanwhile/');
});

test('a store that was reset to an earlier revision is accepted', async () => {
  const other = otherProcess();
  await mounted(it.mounts, 'kept/', null);
  await mounted(it.mounts, 'forgotten/', null);
  expect((await other.resolve('forgotten/a'))?.path).toBe('forgotten/');
  await it.store.db.deleteFrom('mounts').where('path', '=', 'forgotten/').execute();
  await it.store.db
    .updateTable('revisions')
    .set(({ eb }) => ({ revision: eb('revision', '-', 1) }))
    .where('name', '=', 'mounts')
    .execute();
  expect(await other.resolve('nowhere/a')).toBeUndefined();
  expect(await other.resolve('forgotten/a')).toBeUndefined();
  expect((await other.resolve('kept/a'))?.path).toBe('kept/');
});

test('the search for the mount of a very long path examines only as many characters as a mount path can have', () => {
  const looked: number[] = [];
  class Watched extends Map<string, never> {
    readonly pathLengthMax = 9;
    override get(key: string): undefined {
      looked.push(key.length);
      return undefined;
    }
  }
  const mounts = new Watched();
  const copy = { revision: 1, namespaces: new Map(), paths: new Map(), mountsOf: () => mounts };
  expect(findMount(copy, 'a/'.repeat(7_500))).toBeUndefined();
  expect(looked).toEqual([8, 6, 4, 2]);
});
