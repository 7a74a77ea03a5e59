import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { type Place, type Places, sampledPlaces } from '#sync/samples/places.ts';
import { readSamples } from '#sync/samples/read.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
const begin = new Date('2030-01-31T08:00:00Z');
const after = (seconds: number) => new Date(begin.getTime() + seconds * 1_000);
const range = { namespaceId: 'root', from: begin, to: after(120), type: undefined, name: undefined };

interface Given {
  readonly at: number;
  readonly name: string;
  readonly type?: string;
  readonly namespace?: string;
  readonly pending?: number;
  readonly age?: number;
  readonly done?: number;
  readonly errors?: Readonly<Record<string, number>>;
}

async function insert(given: readonly Given[]): Promise<void> {
  for (const { at, name, type = 'cloud-a-sm', namespace = 'root', pending = 0, age, done = 0, errors = {} } of given) {
    const failed = Object.values(errors).reduce((sum, one) => sum + one, 0);
    await sql`insert into sync_samples values (${namespace}, ${after(at)}, ${type}, ${name}, ${pending}, ${age ?? null}, ${done},
                                               ${failed}, ${JSON.stringify(errors)})`.execute(store.db);
  }
}

beforeAll(async () => {
  store = await testStore();
  for (const [at, pending] of [
    [0, 4],
    [10, 2],
    [60, 9],
    [120, 1],
  ] as const)
    await sql`insert into sync_sample_slots values (${after(at)}, ${pending}, 100)`.execute(store.db);
  await insert([
    { at: 0, name: 'a', pending: 3, age: 5, done: 1, errors: { timeout: 1 } },
    { at: 0, name: 'b', pending: 1, age: 9, done: 2 },
    { at: 0, name: '', type: 'cloud-b-kv', pending: 1, done: 4, errors: { name: 2 } },
    { at: 10, name: 'a', pending: 1, age: 15, done: 10, errors: { timeout: 1, network: 1 } },
    { at: 120, name: 'a', pending: 50, done: 50 },
    { at: 0, name: 'a', namespace: 'team', pending: 70, done: 70 },
  ]);
});
afterAll(() => store.close());

const read = async (places?: Places, more = {}, step = 60) => {
  const rows = await readSamples(store, { ...range, ...more }, step, places);
  return {
    points: rows.filter(({ at }) => at !== null),
    types: rows.filter(({ type, name }) => type !== null && name === null),
    named: rows.filter(({ name }) => name !== null),
  };
};

test('a step has the greatest depth and age of its samples and the sums of their attempts', async () => {
  const { points } = await read();
  const shared = { type: null, name: null, capacity: 100 };
  expect(points).toEqual([
    {
      ...shared,
      at: begin,
      samples: 2,
      queued: 4,
      pending: 5,
      oldest_seconds: 15,
      done: 17,
      failed: 5,
      errors: { timeout: 2, network: 1, name: 2 },
    },
    {
      ...shared,
      at: after(60),
      samples: 1,
      queued: 9,
      pending: 0,
      oldest_seconds: null,
      done: 0,
      failed: 0,
      errors: null,
    },
  ]);
});

test('a slot without a sample is a gap, and not zero', async () => {
  const { points } = await read(undefined, {}, 10);
  expect(points.map(({ at, pending }) => [at, pending])).toEqual([
    [begin, 5],
    [after(10), 1],
    [after(60), 0],
  ]);
});

test('types and destinations have their sums over the range', async () => {
  const { types, named } = await read();
  expect(types.map(({ type, pending, done, errors }) => [type, pending, done, errors])).toEqual([
    ['cloud-a-sm', 4, 13, { timeout: 2, network: 1 }],
    ['cloud-b-kv', 1, 4, { name: 2 }],
  ]);
  expect(
    named.map(({ name, pending, oldest_seconds, done, failed }) => [name, pending, oldest_seconds, done, failed]),
  ).toEqual([
    ['a', 3, 15, 11, 3],
    ['b', 1, 9, 2, 0],
  ]);
});

test('only the given places count', async () => {
  const { points, types, named } = await read({ types: [], single: [{ type: 'cloud-a-sm', name: 'b' }] });
  expect(points.map(({ pending, done, failed }) => [pending, done, failed])).toEqual([
    [1, 2, 0],
    [0, 0, 0],
  ]);
  expect([types.length, named.map(({ name }) => name)]).toEqual([1, ['b']]);
  expect((await read({ types: [], single: [] })).types).toEqual([]);
});

test('a type or a name narrows the samples', async () => {
  expect((await read(undefined, { type: 'cloud-b-kv' })).points[0]).toMatchObject({ pending: 1, done: 4 });
  expect((await read(undefined, { name: 'b' })).points[0]).toMatchObject({ pending: 1, done: 2 });
});

test('the places are those of the samples and of the namespace', async () => {
  expect(await sampledPlaces(store, range)).toEqual(
    expect.arrayContaining(['a', 'b'].map((name) => ({ type: 'cloud-a-sm', name }))),
  );
  expect(await sampledPlaces(store, { ...range, type: 'cloud-b-kv' })).toEqual([]);
});

test('the samples of a namespace are read along an index', async () => {
  await store.transaction(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select * from sync_samples s
       where s.namespace_id = 'root' and s.slot >= ${range.from} and s.slot < ${range.to}`.execute(tx);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Cond: ((namespace_id =');
    expect(plan).toContain('(slot >= ');
  });
});
