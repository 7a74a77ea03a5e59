import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenStore } from '../../../lib/store/open.ts';
import { testStore } from '../../store/stores.ts';
import type { Fate } from '../remote.ts';
import { settle, startWorld } from '../world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

const keys = 500;

/** An association of 500 keys, of which some have a later value, pushed. */
async function settled() {
  const world = await startWorld(store);
  const want = (changed: Readonly<Record<string, string>>, forced = false) => {
    const all = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 'first']));
    const json = JSON.stringify({ ...all, ...changed });
    return world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, forced);
  };
  await want({});
  await settle(world);
  expect(world.remote.objects.size).toBe(keys);
  const callsOf = async (work: () => Promise<unknown>) => {
    const before = world.remote.calls;
    await work();
    return world.remote.calls - before;
  };
  return { world, want, callsOf };
}

/** So many calls go well; those after them, of whatever is in flight, are throttled. */
const throttledAfter = (calls: number): readonly Fate[] => [
  ...Array.from({ length: calls }, (): Fate => 'well'),
  ...Array.from({ length: 8 }, (): Fate => 'throttled'),
];

describe('an attempt of 500 keys that is throttled in the middle', () => {
  test('leaves no object in doubt that it has not called or not changed: none is pushed again', async () => {
    const { world, want, callsOf } = await settled();
    const changes = world.remote.changes.length;
    await world.lookAtAll();
    const first = await callsOf(() => world.attempt(throttledAfter(250)));
    expect(first).toBeLessThan(270);
    const rest = await callsOf(() => settle(world));
    expect(rest).toBeLessThanOrEqual(keys - 250 + 8);
    expect(world.remote.changes.length).toBe(changes);
    await want({ k300: 'second' });
    expect(await callsOf(() => settle(world))).toBe(1);
  });

  test('is gone on with where it was throttled, and afterwards a change of one key is one call', async () => {
    const { world, want, callsOf } = await settled();
    await want({}, true);
    await world.attempt(throttledAfter(250));
    expect(await callsOf(() => settle(world))).toBe(keys - 250);
    await want({ k300: 'second' });
    expect(await callsOf(() => settle(world))).toBe(1);
  });

  test('leaves an object in doubt whose failure says that it may be another one', async () => {
    const { world, want } = await settled();
    const { objects, changes } = world.remote;
    objects.set('k0', { value: 'theirs', mark: null, version: 'x' });
    await want({ k0: 'second' });
    await world.attempt();
    expect((await world.recorded()).status).toBe('CLIENT_SIDE_ERROR');
    objects.delete('k0');
    const before = changes.length;
    // The value that was recorded last: it is there no more.
    await want({});
    await settle(world);
    expect(changes.slice(before)).toEqual(['put k0']);
  });
});
