import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { type Places, sampledPlaces } from '#sync/samples/places.ts';
import { readSamples, samplesStatement } from '#sync/samples/read.ts';
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
  readonly arrived?: number;
}

async function insert(given: readonly Given[]): Promise<void> {
  for (const {
    at,
    name,
    type = 'cloud-a-sm',
    namespace = 'root',
    pending = 0,
    age,
    done = 0,
    errors = {},
    arrived,
  } of given) {
    const failed = Object.values(errors).reduce((sum, one) => sum + one, 0);
    await sql`insert into sync_samples values (${namespace}, ${after(at)}, ${type}, ${name}, ${pending}, ${age ?? null}, ${done},
                                               ${failed}, ${JSON.stringify(errors)}, ${arrived ?? null})`.execute(
      store.db,
    );
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
    { at: 0, name: 'a', pending: 3, age: 5, done: 1, errors: { timeout: 1 }, arrived: 4 },
    { at: 0, name: 'b', pending: 1, age: 9, done: 2, arrived: 3 },
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
      arrived: 7,
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
      arrived: 0,
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

test('what sweeps of an earlier release sampled has no arrivals, which is not none', async () => {
  const { points, types } = await read(undefined, { type: 'cloud-b-kv' });
  expect([points.map(({ arrived }) => arrived), types[0]?.arrived]).toEqual([[null, 0], null]);
});

test('the places are those of the samples and of the namespace', async () => {
  await sql`insert into sync_sample_spans
            select namespace_id, ${begin}, type, name, 1, 1, 1, 0, '{}', 1 from sync_samples
             where slot = ${begin} and name <> ''`.execute(store.db);
  expect(await sampledPlaces(store, range)).toEqual(
    expect.arrayContaining(['a', 'b'].map((name) => ({ type: 'cloud-a-sm', name }))),
  );
  expect(await sampledPlaces(store, { ...range, type: 'cloud-b-kv' })).toEqual([]);
});

test('samples are read along the indexes of their namespace and time, and of slots without sums', async () => {
  const day = { ...range, from: new Date('2030-01-30T08:10:00Z'), to: new Date('2030-01-31T08:05:00Z') };
  await store.transaction(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_bitmapscan = off`.execute(tx);
    const { sql: text, parameters } = samplesStatement(day, 300, undefined).compile(tx);
    const explain = { ...samplesStatement(day, 300, undefined).compile(tx), sql: `explain ${text}`, parameters };
    const { rows } = await tx.executeQuery<{ 'QUERY PLAN': string }>(explain);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toContain('Seq Scan on sync_sample');
    expect(plan).not.toContain('on sync_samples');
    expect(plan).toContain('using sync_sample_slots_unsummed');
    expect(plan).toMatch(
      /using sync_sample_sums_pkey[^\n]*\n *Index Cond: \(\(namespace_id = [^\n]*seconds = 300[^\n]*slot >=/,
    );
    expect(plan).toMatch(
      /using sync_sample_sums_pkey[^\n]*\n *Index Cond: \(\(namespace_id = [^\n]*seconds = 3600[^\n]*slot >=/,
    );
  });
});
