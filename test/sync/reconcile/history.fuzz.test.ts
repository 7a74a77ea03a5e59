import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Granularity } from '#destinations/contract.ts';
import type { OpenStore } from '#store/open.ts';
import { toEntries } from '#sync/reconcile/plan/entries.ts';
import { testStore } from '../../store/stores.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import type { Fate, RemoteObject } from '../world/remote.ts';
import { recheck, settle, startWorld, type Wanted, type World } from '../world/world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

const values = fc.constantFrom('1', '2', 'three', 'far too large');
const keys = fc.constantFrom('a', 'b', 'a b', 'a-b', '', 'a\0', '\ud800');
const data = fc.dictionary(keys, values, { maxKeys: 3, noNullPrototype: true });
const templates = fc.constantFrom(
  'one',
  'two',
  '{{ .SecretKey }}',
  'k/{{ .SecretKey }}',
  '{{ truncate 1 .SecretKey }}',
);
const wanted: fc.Arbitrary<Wanted> = fc.record({
  json: fc.option(data.map((object) => JSON.stringify(object))),
  granularity: fc.constantFrom<Granularity>('secret-path', 'secret-key'),
  template: templates,
});

const fates = fc.array(
  fc.constantFrom<Fate>('succeeds', 'succeeds', 'succeeds', 'refused', 'unreachable', 'lost', 'crash', 'crash after'),
  { maxLength: 6 },
);

/** A change and the attempts before the next one. */
interface Change {
  readonly wanted: Wanted;
  readonly forced: boolean;
  /** `exhausted`: the job has lost its workers too often. */
  readonly attempts: readonly (readonly Fate[] | 'exhausted')[];
}
const change: fc.Arbitrary<Change> = fc.record({
  wanted,
  forced: fc.boolean(),
  attempts: fc.array(
    fc.oneof({ weight: 5, arbitrary: fates }, { weight: 1, arbitrary: fc.constant('exhausted' as const) }),
    {
      maxLength: 3,
    },
  ),
});
const lateFates = fc.array(
  fc.constantFrom<Fate>('succeeds', 'succeeds', 'held', 'held', 'lost', 'unreachable', 'crash', 'crash while held'),
  { maxLength: 6 },
);
const lateChange: fc.Arbitrary<Change> = fc.record({
  wanted,
  forced: fc.boolean(),
  attempts: fc.array(lateFates, { maxLength: 3 }),
});
/** Another client of the external system creates an object of this name, or deletes the existing one. */
interface Foreign {
  readonly name: string;
  readonly deletes: boolean;
}
const foreign: fc.Arbitrary<Foreign> = fc.record({
  name: fc.constantFrom('one', 'a', 'b', 'k/a', 'a-b'),
  deletes: fc.boolean(),
});
const histories: fc.Arbitrary<readonly (Change | Foreign)[]> = fc.array(
  fc.oneof({ weight: 5, arbitrary: change }, { weight: 1, arbitrary: foreign }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

/** Plays a history. Returns the objects that another client created and did not delete, and the last desired state. */
async function play(world: World, history: readonly (Change | Foreign)[]) {
  const others = new Map<string, RemoteObject>();
  let last: Wanted = { json: null, granularity: 'secret-path', template: 'one' };
  for (const event of history) {
    if ('wanted' in event) {
      last = event.wanted;
      await world.want(event.wanted, event.forced);
      for (const calls of event.attempts) await (calls === 'exhausted' ? world.lose() : world.attempt(calls));
    } else if (event.deletes) {
      world.remote.objects.delete(event.name);
      others.delete(event.name);
    } else if (!world.remote.objects.has(event.name)) {
      const theirs = { value: 'theirs', mark: null, version: 'theirs' };
      others.set(event.name, theirs);
      world.remote.objects.set(event.name, theirs);
    }
  }
  return { others, last };
}

/** The expected objects, by an independent reading of the rules, and the number of refused keys. */
function expected({ json, granularity, template }: Wanted) {
  const entries = json === null ? [] : toEntries(json, granularity);
  const named = entries.map(({ subKey, value }) => ({ subKey, value: value.reveal(), name: nameOf(template, subKey) }));
  const good = named.filter(
    ({ name, value, subKey }) =>
      name !== '' &&
      subKey.isWellFormed() &&
      !subKey.includes('\0') &&
      value.length <= 12 &&
      named.filter((other) => other.name === name).length === 1,
  );
  return { good, refused: named.length - good.length };
}

const nameOf = (template: string, subKey: string): string =>
  template
    .replace('{{ .SecretKey }}', subKey)
    .replace('{{ truncate 1 .SecretKey }}', [...subKey].slice(0, 1).join(''))
    .replace(/[^A-Za-z0-9/_+=.@-]/gu, '-');

describe('after any changes, crashes and lost answers', () => {
  test('the copies match the desired state, and no object of another client is touched', fuzzing, async () => {
    const property = fc.asyncProperty(histories, async (history) => {
      const world = await startWorld(store);
      const { others, last } = await play(world, history);
      await world.want(last, true);
      await settle(world);
      const { good, refused } = expected(last);
      const { objects } = world.remote;
      for (const [name, object] of others) expect(objects.get(name)).toEqual(object);
      const ours = [...objects].filter(([, { mark }]) => mark !== null);
      const free = good.filter(({ name }) => !others.has(name));
      for (const { name, value } of free) expect(objects.get(name)).toMatchObject({ value });
      const { names, status } = await world.recorded();
      expect(names).toEqual(expect.arrayContaining(ours.map(([name]) => name)));
      const complete = refused === 0 && free.length === good.length;
      expect(status).toBe(complete ? (good.length === 0 ? 'UNSYNCED' : 'SYNCED') : 'CLIENT_SIDE_ERROR');
      if (complete) expect([names.length, ours.length]).toEqual([good.length, good.length]);
    });
    await fc.assert(property, runs(150));
  });

  test('the copies match the desired state without a forced push, even if attempts were used up', fuzzing, async () => {
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (history) => {
      const world = await startWorld(store, 2);
      const { last } = await play(world, history);
      await world.want(last, false);
      await settle(world);
      const ours = [...world.remote.objects].map(([name, { value }]) => ({ name, value }));
      const { good, refused } = expected(last);
      for (const { name, value } of good) expect(ours).toContainEqual({ name, value });
      if (refused === 0) expect(ours).toHaveLength(good.length);
    });
    await fc.assert(property, runs(150));
  });

  test('the copies match the desired state, whenever the calls that timed out are applied', fuzzing, async () => {
    const events = fc.array(
      fc.oneof({ weight: 4, arbitrary: lateChange }, { weight: 1, arbitrary: fc.constant('deliver') }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const property = fc.asyncProperty(events, async (history) => {
      const world = await startWorld(store);
      let last: Wanted = { json: null, granularity: 'secret-path', template: 'one' };
      for (const event of history) {
        if (typeof event === 'string') world.remote.deliver();
        else ({ last } = await play(world, [event]));
      }
      await world.want(last, false);
      await settle(world);
      world.remote.deliver();
      await recheck(world);
      const ours = [...world.remote.objects].map(([name, { value }]) => ({ name, value }));
      const { good, refused } = expected(last);
      for (const { name, value } of good) expect(ours).toContainEqual({ name, value });
      if (refused > 0) return;
      expect(ours).toHaveLength(good.length);
      expect((await world.recorded()).names).toHaveLength(good.length);
    });
    await fc.assert(property, runs(200));
  });

  test('another attempt changes nothing', fuzzing, async () => {
    const property = fc.asyncProperty(histories, async (history) => {
      const world = await startWorld(store);
      const { last } = await play(world, history);
      await world.want(last, true);
      await settle(world);
      const [before, changes] = [[...world.remote.objects], world.remote.changes.length];
      await world.want(last, false);
      await settle(world);
      expect([...world.remote.objects]).toEqual(before);
      expect(world.remote.changes.slice(changes)).toEqual([]);
    });
    await fc.assert(property, runs(100));
  });
});
