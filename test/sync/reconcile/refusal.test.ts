import { beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { testStore } from '../../store/stores.ts';
import { settle, startWorld } from '../world/world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

test('a key that cannot be stored is refused with a message that can be stored, and the others are pushed', async () => {
  const world = await startWorld(store);
  const json = JSON.stringify({ 'a\0': '1', '\ud800': '2', b: '3' });
  await world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, true);
  await settle(world);
  expect(world.remote.changes).toEqual(['put b']);
  expect(await world.recorded()).toEqual({ status: 'CLIENT_SIDE_ERROR', names: ['b'] });
});

test('colliding keys with long names are refused with a short message', async () => {
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

test('the objects of the keys stay when the name of the whole secret is refused', async () => {
  const world = await startWorld(store);
  const json = '{"a":"1","b":"2"}';
  await world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, true);
  await settle(world);
  await world.want({ json, granularity: 'secret-path', template: 'one' }, true);
  await settle(world);
  expect(world.remote.changes.toSorted()).toEqual(['put a', 'put b']);
});

test('the object of the whole secret stays when its keys are refused', async () => {
  const world = await startWorld(store);
  const json = '{"a b":"1","a-b":"2"}';
  await world.want({ json: '{"a":"1"}', granularity: 'secret-path', template: 'one' }, true);
  await settle(world);
  await world.want({ json, granularity: 'secret-key', template: '{{ .SecretKey }}' }, true);
  await settle(world);
  expect(world.remote.changes).toEqual(['put one']);
});
