import { beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '../../../lib/store/open.ts';
import { testStore } from '../../store/stores.ts';
import { settle, startWorld } from '../world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

test('a key that cannot be stored is refused, in words that can be, and the others go on', async () => {
  const world = await startWorld(store);
  const json = JSON.stringify({ 'a\0': '1', '\ud800': '2', b: '3' });
  await world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, true);
  await settle(world);
  expect(world.remote.changes).toEqual(['put b']);
  expect(await world.recorded()).toEqual({ status: 'CLIENT_SIDE_ERROR', names: ['b'] });
});

test('keys with long names that collide are refused in few words', async () => {
  const world = await startWorld(store);
  const faces = ['😀', '😁', '😂', '😃', '😄', '😅', '😆'].map((face) => [face.repeat(600), '1']);
  const json = JSON.stringify(Object.fromEntries(faces));
  await world.want({ json, granularity: 'secret-key', template: '{{ truncate 1 .SecretKey }}' }, true);
  const ended = await world.attempt();
  expect(ended).toMatchObject({ outcome: { kind: 'done' }, failure: { kind: 'conflict' } });
  expect(ended !== 'crashed' && ended.failure?.message).toMatch(
    /^key "(😀){80}\.\.\." and .* and 2 more have the same name/u,
  );
});

test('a whole that is refused leaves the objects be that the keys were in', async () => {
  const world = await startWorld(store);
  const json = '{"a":"1","b":"2"}';
  await world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, true);
  await settle(world);
  await world.want({ json, granularity: 'secret-path', template: 'one' }, true);
  await settle(world);
  expect(world.remote.changes.toSorted()).toEqual(['put a', 'put b']);
});

test('keys that are refused leave the object be that the whole secret was in', async () => {
  const world = await startWorld(store);
  const json = '{"a b":"1","a-b":"2"}';
  await world.want({ json: '{"a":"1"}', granularity: 'secret-path', template: 'one' }, true);
  await settle(world);
  await world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, true);
  await settle(world);
  expect(world.remote.changes).toEqual(['put one']);
});
