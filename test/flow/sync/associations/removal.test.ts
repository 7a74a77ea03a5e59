import { beforeEach, expect, test } from 'vitest';
import type { CloudASmFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type, 'cloud-b-kv', 'repo-host']);

let destinationName = '';
let secret = '';
let name = '';
beforeEach(async () => {
  destinationName = await service.destination(type);
  secret = await service.secret({ v: '1' });
  await service.set(type, destinationName, secret);
  name = only(await service.until(type, destinationName, secret, (all) => statuses(all)[0] === 'SYNCED')).external_name;
});

test('a failed removal keeps the association with its error, and a second one succeeds', async () => {
  service.fake(type).fail({ kind: 'denied' });
  expect(only(await service.remove(type, destinationName, secret))).toMatchObject({
    sync_status: 'CLIENT_SIDE_ERROR',
    error: { kind: 'permission', message: expect.stringContaining(name) },
  });
  expect(service.fake(type).objects().has(name)).toBe(true);
  service.fake(type).heal();
  expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
  expect(service.fake(type).objects().has(name)).toBe(false);
});

test('a replay completes a failed removal', async () => {
  service.fake(type).fail({ kind: 'denied' });
  await service.remove(type, destinationName, secret);
  service.fake(type).heal();
  await service.ask('POST', 'sys/sync/replay', { name: destinationName });
  await service.untilQuiet();
  expect(await service.associations(type, destinationName)).toEqual([]);
  expect(service.fake(type).objects().has(name)).toBe(false);
});

test('a copy that was deleted by hand can be removed', async () => {
  service.fake<CloudASmFake>(type).schedule(name);
  expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
  expect(await service.associations(type, destinationName)).toEqual([]);
});

test('set creates a copy that was deleted by hand again', async () => {
  service.fake<CloudASmFake>(type).schedule(name);
  expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
  expect(service.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
});

test('set after remove, while the removal waits for its retry, leaves the copy in place', async () => {
  service.fake(type).fail({ kind: 'unavailable' });
  await service.remove(type, destinationName, secret);
  service.fake(type).heal();
  await service.set(type, destinationName, secret);
  await service.untilQuiet();
  expect(statuses(await service.associations(type, destinationName))).toEqual(['SYNCED']);
  expect(service.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
});

test('forty concurrent requests for the same association leave one copy or none', async () => {
  const host = await service.destination('cloud-b-kv');
  const requests = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? service.set('cloud-b-kv', host, secret) : service.remove('cloud-b-kv', host, secret),
  );
  await Promise.all(requests);
  await service.untilQuiet();
  const { external_name } = only(await service.set('cloud-b-kv', host, secret));
  await service.untilQuiet();
  expect(service.fake('cloud-b-kv').objects().get(external_name)?.value).toBe('{"v":"1"}');
  await service.remove('cloud-b-kv', host, secret);
  await service.untilQuiet();
  expect(service.fake('cloud-b-kv').objects().has(external_name)).toBe(false);
});
