import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { testStore } from '../../store/stores.ts';
import type { Fate } from '../world/remote.ts';
import { settle, startWorld } from '../world/world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

const keys = 500;

/** An association of 500 keys that are all pushed. */
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

/** This many calls succeed; the ones after them, including those in flight, are throttled. */
const throttledAfter = (calls: number): readonly Fate[] => [
  ...Array.from({ length: calls }, (): Fate => 'succeeds'),
  ...Array.from({ length: 8 }, (): Fate => 'throttled'),
];

describe('an attempt of 500 keys that is throttled in the middle', () => {
  test('pushes no object again that it did not call or did not change', async () => {
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

  test('continues where it was throttled, and a later change of one key takes one call', async () => {
    const { world, want, callsOf } = await settled();
    await want({}, true);
    await world.attempt(throttledAfter(250));
    expect(await callsOf(() => settle(world))).toBe(keys - 250);
    await want({ k300: 'second' });
    expect(await callsOf(() => settle(world))).toBe(1);
  });

  test('pushes an object again whose failure says that it may have been replaced', async () => {
    const { world, want } = await settled();
    const { objects, changes } = world.remote;
    objects.set('k0', { value: 'theirs', mark: null, version: 'x' });
    await want({ k0: 'second' });
    await world.attempt();
    expect((await world.recorded()).status).toBe('CLIENT_SIDE_ERROR');
    objects.delete('k0');
    const before = changes.length;
    // The last recorded value, whose object no longer exists.
    await want({});
    await settle(world);
    expect(changes.slice(before)).toEqual(['put k0']);
  });
});
