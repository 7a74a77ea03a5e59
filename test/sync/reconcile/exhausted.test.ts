import { beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { testStore } from '../../store/stores.ts';
import { settle, startWorld } from '../world/world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

const secret = (value: string) => ({ json: `{"a":"${value}"}`, granularity: 'secret-key', template: 'one' }) as const;

test('an exhausted job counts as a failed attempt without a call, and the last one is an internal error', async () => {
  const world = await startWorld(store, 2);
  await world.want(secret('1'), false);
  expect(await world.lose()).toMatchObject({ kind: 'failed' });
  expect(await world.recorded()).toMatchObject({ status: 'PENDING' });
  expect(await world.lose()).toMatchObject({ kind: 'done' });
  expect(await world.recorded()).toMatchObject({ status: 'INTERNAL_ERROR' });
  expect(await world.lose()).toMatchObject({ kind: 'done' });
  expect(world.remote.changes).toEqual([]);
  await world.want(secret('1'), false);
  await settle(world);
  expect(world.remote.changes).toEqual(['put one']);
});

test('after a lost worker, even a value that was pushed before is pushed again', async () => {
  const world = await startWorld(store, 1);
  await world.want(secret('1'), false);
  await settle(world);
  await world.want(secret('2'), false);
  expect(await world.attempt(['crash after'])).toBe('crashed');
  expect(await world.lose()).toMatchObject({ kind: 'done' });
  await world.want(secret('1'), false);
  await settle(world);
  expect(world.remote.objects.get('one')).toMatchObject({ value: '1' });
});
