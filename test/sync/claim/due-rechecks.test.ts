import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { testStore } from '../../store/stores.ts';
import type { Fate } from '../world/remote.ts';
import { recheck, settle, startWorld, type Wanted, type World } from '../world/world.ts';

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

/** Pushes a first value, lets the push of a second one fail in the given way, and then pushes a third. */
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
  ['timed out', (world) => world.attempt(['held'])],
  ['was aborted by the end of its worker, or by the loss of its lock', stopped],
  ['was in flight when its worker died', (world) => world.attempt(['crash while held'])],
];

describe('a push', () => {
  test.each(ways)('that %s and is applied after the next one does not last', async (_how, fail) => {
    const world = await overtaken(fail);
    world.remote.deliver();
    expect(held(world)).toBe('"2"');
    await recheck(world);
    expect(held(world)).toBe('"3"');
    expect(await world.remembers()).toBe(false);
  });

  test('that is applied between the two rechecks does not last either', async () => {
    const world = await overtaken((one) => one.attempt(['held']));
    await world.untilRecheck();
    await settle(world);
    world.remote.deliver();
    expect(held(world)).toBe('"2"');
    await recheck(world);
    expect(held(world)).toBe('"3"');
  });
});

test('an association whose claim expired during a call is pushed again and rechecked', async () => {
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

test('a recheck that finds everything unchanged pushes nothing and does not change the status', async () => {
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

test('a recheck may begin twice and be followed by a change', async () => {
  const world = await overtaken((one) => one.attempt(['held']));
  await world.untilRecheck();
  await world.untilRecheck();
  await world.want(whole('"4"'), false);
  await settle(world);
  world.remote.deliver();
  await recheck(world);
  expect(held(world)).toBe('"4"');
});

/** The key `b` was removed, and then its late push was applied. */
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

describe('a removed key', () => {
  test('is removed again when a late push brings it back', async () => {
    const world = await broughtBack();
    await recheck(world);
    await onlyAIsLeft(world);
  });

  test('is removed again by a change when its rechecks are overdue', async () => {
    const world = await broughtBack();
    await world.pass(61_000);
    await world.want(perKey({ a: '2' }), false);
    await settle(world);
    await recheck(world);
    await onlyAIsLeft(world);
  });

  test('that is wanted again does not replace an object that another client has created since', async () => {
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

test('a key that an earlier attempt brought in line is rechecked even if another key finally fails', async () => {
  const world = await startWorld(store, 2);
  await world.want(perKey({ a: '1', b: '1' }), false);
  await settle(world);
  await world.want(perKey({ a: '2', b: '1' }), false);
  await world.attempt(['held']);
  await world.want(perKey({ a: '3', b: '3' }), false);
  await world.attempt(['succeeds', 'refused']);
  expect(await world.attempt(['refused'])).toMatchObject({ outcome: { kind: 'done' } });
  expect((await world.recorded()).status).toBe('EXTERNAL_SERVICE_ERROR');
  world.remote.deliver();
  expect(held(world, 'a')).toBe('2');
  await recheck(world);
  expect(held(world, 'a')).toBe('3');
});

test('pushed keys are rechecked even if another key always fails, but not forever', async () => {
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
    const failing: readonly Fate[] = rounds === 0 ? [] : ['succeeds', 'held', 'held'];
    await world.attempt(failing);
    await settle(world);
  }
  expect(rounds).toBeLessThanOrEqual(2);
  expect(held(world, 'a')).toBe('3');
});
