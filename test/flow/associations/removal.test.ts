import { beforeEach, expect, test } from 'vitest';
import type { CloudASmFake } from '../../../lib/destinations/cloud-a-sm/fake/index.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-a-sm';
const stage = stageOf([type, 'cloud-b-kv', 'repo-host']);

let place = '';
let secret = '';
let name = '';
beforeEach(async () => {
  place = await stage.destination(type);
  secret = await stage.secret({ v: '1' });
  await stage.set(type, place, secret);
  name = only(await stage.until(type, place, secret, (all) => statuses(all)[0] === 'SYNCED')).external_name;
});

test('a removal that fails keeps the association with its error, and a second one goes through', async () => {
  stage.fake(type).fail({ kind: 'denied' });
  expect(only(await stage.remove(type, place, secret))).toMatchObject({
    sync_status: 'CLIENT_SIDE_ERROR',
    error: { kind: 'permission', message: expect.stringContaining(name) },
  });
  expect(stage.fake(type).objects().has(name)).toBe(true);
  stage.fake(type).heal();
  expect(statuses(await stage.remove(type, place, secret))).toEqual(['UNSYNCED']);
  expect(stage.fake(type).objects().has(name)).toBe(false);
});

test('a removal that failed is finished by a replay', async () => {
  stage.fake(type).fail({ kind: 'denied' });
  await stage.remove(type, place, secret);
  stage.fake(type).heal();
  await stage.ask('POST', 'sys/sync/replay', { name: place });
  await stage.untilQuiet();
  expect(await stage.associations(type, place)).toEqual([]);
  expect(stage.fake(type).objects().has(name)).toBe(false);
});

test('a copy that somebody has removed by hand is removed all the same', async () => {
  stage.fake<CloudASmFake>(type).schedule(name);
  expect(statuses(await stage.remove(type, place, secret))).toEqual(['UNSYNCED']);
  expect(await stage.associations(type, place)).toEqual([]);
});

test('a copy that somebody has removed by hand comes back with set', async () => {
  stage.fake<CloudASmFake>(type).schedule(name);
  expect(statuses(await stage.set(type, place, secret))).toEqual(['SYNCED']);
  expect(stage.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
});

test('set after remove, while the removal waits for its retry, ends with the copy there', async () => {
  stage.fake(type).fail({ kind: 'unavailable' });
  await stage.remove(type, place, secret);
  stage.fake(type).heal();
  await stage.set(type, place, secret);
  await stage.untilQuiet();
  expect(statuses(await stage.associations(type, place))).toEqual(['SYNCED']);
  expect(stage.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
});

test('forty requests at once for the same association leave one copy, or none', async () => {
  const host = await stage.destination('cloud-b-kv');
  const requests = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? stage.set('cloud-b-kv', host, secret) : stage.remove('cloud-b-kv', host, secret),
  );
  await Promise.all(requests);
  await stage.untilQuiet();
  const { external_name } = only(await stage.set('cloud-b-kv', host, secret));
  await stage.untilQuiet();
  expect(stage.fake('cloud-b-kv').objects().get(external_name)?.value).toBe('{"v":"1"}');
  await stage.remove('cloud-b-kv', host, secret);
  await stage.untilQuiet();
  expect(stage.fake('cloud-b-kv').objects().has(external_name)).toBe(false);
});
