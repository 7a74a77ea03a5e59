import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { OpenStore } from '../../../lib/store/open.ts';
import { testStore } from '../../store/stores.ts';
import type { Fate } from '../remote.ts';
import { recheck, settle, startWorld, type Wanted, type World } from '../world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

const whole = (json: string | null): Wanted => ({ json, granularity: 'secret-path', template: 'one' });
const perKey = (data: object): Wanted => ({
  json: JSON.stringify(data),
  granularity: 'secret-key',
  template: '{{ .SecretKey }}',
});
const held = ({ remote }: World, name = 'one') => remote.objects.get(name)?.value;

/** In line with this value; then an attempt to push another one goes wrong in this way, and a third one is pushed. */
async function overtaken(fail: (world: World) => Promise<unknown>): Promise<World> {
  const world = await startWorld(store);
  await world.want(whole('"1"'), false);
  await settle(world);
  expect(await world.remembers()).toBe(false);
  await world.want(whole('"2"'), false);
  await fail(world);
  await world.want(whole('"3"'), false);
  await settle(world);
  expect(held(world)).toBe('"3"');
  return world;
}

async function stopped(world: World): Promise<void> {
  const stopping = new AbortController();
  const under = world.attempt(['hangs'], stopping.signal);
  await vi.waitFor(() => expect(world.remote.waiting).toBe(1), 10_000);
  stopping.abort();
  await under;
}

const ways: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
  ['was given up', (world) => world.attempt(['held'])],
  ['was cut by the end of its worker, or by the loss of its lock', stopped],
  ['was in flight when its worker died', (world) => world.attempt(['crash while held'])],
];

describe('a push', () => {
  test.each(ways)('that %s and comes after the next one does not stay', async (_how, fail) => {
    const world = await overtaken(fail);
    world.remote.deliver();
    expect(held(world)).toBe('"2"');
    await recheck(world);
    expect(held(world)).toBe('"3"');
    expect(await world.remembers()).toBe(false);
  });

  test('comes between the two rechecks, and does not stay either', async () => {
    const world = await overtaken((one) => one.attempt(['held']));
    await world.untilRecheck();
    await settle(world);
    world.remote.deliver();
    expect(held(world)).toBe('"2"');
    await recheck(world);
    expect(held(world)).toBe('"3"');
  });
});

test('a worker whose claim ran out while it called leaves its association to be pushed again and rechecked', async () => {
  const world = await startWorld(store);
  await world.want(whole('"1"'), false);
  await settle(world);
  await world.want(whole('"2"'), false);
  const stopping = new AbortController();
  const frozen = world.attempt(['hangs'], stopping.signal);
  await vi.waitFor(() => expect(world.remote.waiting).toBe(1), 10_000);
  await world.attempt();
  stopping.abort();
  expect(await frozen).toMatchObject({ outcome: { kind: 'again' } });
  expect(await world.remembers()).toBe(true);
  await world.want(whole('"3"'), false);
  await settle(world);
  world.remote.deliver();
  await recheck(world);
  expect(held(world)).toBe('"3"');
});

test('a status does not change while a recheck finds all as it was left, and nothing is pushed', async () => {
  const world = await overtaken((one) => one.attempt(['held']));
  const changes = world.remote.changes.length;
  for (let round = 0; round < 2; round += 1) {
    expect(await world.untilRecheck()).toBe(true);
    expect((await world.recorded()).status).toBe('SYNCED');
    await settle(world);
    expect((await world.recorded()).status).toBe('SYNCED');
  }
  expect(await world.untilRecheck()).toBe(false);
  expect(world.remote.changes).toHaveLength(changes);
});

test('a recheck may be begun twice, and be followed by a change', async () => {
  const world = await overtaken((one) => one.attempt(['held']));
  await world.untilRecheck();
  await world.untilRecheck();
  await world.want(whole('"4"'), false);
  await settle(world);
  world.remote.deliver();
  await recheck(world);
  expect(held(world)).toBe('"4"');
});

/** The key `b` was removed, and then its late push came. */
async function broughtBack(): Promise<World> {
  const world = await startWorld(store);
  await world.want(perKey({ a: '1' }), false);
  await settle(world);
  await world.want(perKey({ a: '1', b: '1' }), false);
  await world.attempt(['held']);
  await world.want(perKey({ a: '1' }), false);
  await settle(world);
  world.remote.deliver();
  expect(held(world, 'b')).toBe('1');
  return world;
}

async function onlyAIsLeft(world: World): Promise<void> {
  expect([...world.remote.objects.keys()]).toEqual(['a']);
  expect((await world.recorded()).names).toEqual(['a']);
}

describe('a key that has gone', () => {
  test('is removed again when a late push brings it back', async () => {
    const world = await broughtBack();
    await recheck(world);
    await onlyAIsLeft(world);
  });

  test('is removed again by a change that comes when its rechecks are overdue', async () => {
    const world = await broughtBack();
    await world.pass(61_000);
    await world.want(perKey({ a: '2' }), false);
    await settle(world);
    await recheck(world);
    await onlyAIsLeft(world);
  });

  test('and is wanted again is not taken from somebody who has made it since', async () => {
    const world = await startWorld(store);
    await world.want(perKey({ a: '1', b: '1' }), false);
    await settle(world);
    await world.want(perKey({ a: '2' }), false);
    await world.attempt(['held']);
    await settle(world);
    const theirs = { value: 'theirs', mark: null, version: 'theirs' };
    world.remote.objects.set('b', theirs);
    await world.want(perKey({ a: '2', b: '2' }), false);
    await settle(world);
    expect((await world.recorded()).status).toBe('CLIENT_SIDE_ERROR');
    await recheck(world);
    expect(world.remote.objects.get('b')).toEqual(theirs);
  });
});

test('a key that an earlier attempt has brought in line is rechecked beside one that fails in the end', async () => {
  const world = await startWorld(store, 2);
  await world.want(perKey({ a: '1', b: '1' }), false);
  await settle(world);
  await world.want(perKey({ a: '2', b: '1' }), false);
  await world.attempt(['held']);
  await world.want(perKey({ a: '3', b: '3' }), false);
  await world.attempt(['well', 'refused']);
  expect(await world.attempt(['refused'])).toMatchObject({ outcome: { kind: 'done' } });
  expect((await world.recorded()).status).toBe('EXTERNAL_SERVICE_ERROR');
  world.remote.deliver();
  expect(held(world, 'a')).toBe('2');
  await recheck(world);
  expect(held(world, 'a')).toBe('3');
});

test('keys that arrive are rechecked beside one that always fails, and not for ever', async () => {
  const world = await startWorld(store, 1);
  await world.want(perKey({ a: '1', b: 'far too large' }), false);
  await settle(world);
  await world.want(perKey({ a: '2', b: 'far too large' }), false);
  await world.attempt(['held']);
  await world.want(perKey({ a: '3', b: 'far too large' }), false);
  await settle(world);
  world.remote.deliver();
  expect(held(world, 'a')).toBe('2');
  let rounds = 0;
  for (; await world.untilRecheck(); rounds += 1) {
    const failing: readonly Fate[] = rounds === 0 ? [] : ['well', 'held', 'held'];
    await world.attempt(failing);
    await settle(world);
  }
  expect(rounds).toBeLessThanOrEqual(2);
  expect(held(world, 'a')).toBe('3');
});
