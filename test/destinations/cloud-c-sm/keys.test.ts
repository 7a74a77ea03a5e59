import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { definition } from '#destinations/cloud-c-sm/index.ts';
import { callFake, connect, failureOf, item, never, type Setting, start } from './setup.ts';

const name = 'keyferry-kv-1234-db';
let setting: Setting;
beforeEach(async () => {
  setting = await start();
});
afterEach(() => setting.close());

const ring = (location: string, key = 'k') => `projects/p/locations/${location}/keyRings/r/cryptoKeys/${key}`;
const update = (value: string) => item({ mode: 'update', value });
/** The keys that encrypted the versions, oldest first. */
async function keysOfVersions(): Promise<readonly string[]> {
  const { versions } = Object(await callFake(setting.fake, 'GET', `/${name}/versions`));
  const names = (version: object) => [...JSON.stringify(version).matchAll(/"kmsKeyVersionName":"([^"]+)\/crypto/g)];
  return versions
    .map((version: object) =>
      names(version)
        .map(([, key]) => key)
        .join(),
    )
    .reverse();
}

describe('the key of a destination that changes', () => {
  test('encrypts the next version of an existing secret, with one more call', async () => {
    const { fake, driver, open } = setting;
    await driver.put(item(), never);
    await open({ kms_key_id: ring('global') }).put(update('2'), never);
    await open({ kms_key_id: ring('global') }).put(update('3'), never);
    await open({ kms_key_id: ring('global', 'other') }).put(update('4'), never);
    expect(await keysOfVersions()).toEqual(['', ring('global'), ring('global'), ring('global', 'other')]);
    expect(fake.calls().get('update')).toBe(2);
    expect(fake.objects().get(name)).toEqual({ value: '4', tags: item().tags });
  });

  test('encrypts it in each location', async () => {
    const { open } = setting;
    const at = (key: string) => ({ 'europe-west1': ring('europe-west1', key), 'us-east1': ring('us-east1', key) });
    await open({ replica_regions: { 'us-east1': '', 'europe-west1': '' } }).put(item(), never);
    await open({ replica_regions: at('one') }).put(update('2'), never);
    await open({ replication_locations: Object.keys(at('two')), locational_kms_keys: at('two') }).put(
      update('3'),
      never,
    );
    const both = (key: string) => [ring('us-east1', key), ring('europe-west1', key)].join();
    expect(await keysOfVersions()).toEqual(['', both('one'), both('two')]);
  });

  test('stays on a secret when the destination no longer names one', async () => {
    await setting.open({ kms_key_id: ring('global') }).put(item(), never);
    await setting.driver.put(update('2'), never);
    expect(await keysOfVersions()).toEqual([ring('global'), ring('global')]);
  });

  test('is set together with new labels in one call', async () => {
    await setting.driver.put(item(), never);
    const tags = { ...item().tags, team: 'a' };
    await setting.open({ kms_key_id: ring('global') }).put(item({ mode: 'update', tags }), never);
    expect(setting.fake.objects().get(name)?.tags).toEqual(tags);
    expect(await keysOfVersions()).toEqual(['', ring('global')]);
    expect(setting.fake.calls().get('update')).toBe(1);
  });
});

test.each([
  ['chosen by the provider', {}, { replica_regions: { 'us-east1': ring('us-east1') } }],
  ['of their own', { replica_regions: { 'us-west1': '' } }, { kms_key_id: ring('global') }],
  ['of others', { replica_regions: { 'us-west1': '' } }, { replica_regions: { 'us-east1': ring('us-east1') } }],
])('a secret in locations %s gets no value that no key of the destination would encrypt', async (_what, was, now) => {
  await setting.open(was).put(item(), never);
  const failure = await failureOf(setting.open(now).put(item({ mode: 'adopt', value: '2' }), never));
  expect(failure).toMatchObject({ kind: 'conflict', untouched: true });
  expect(failure.message).toContain('locations');
  expect(setting.fake.objects().get(name)?.value).toBe(item().value.reveal());
});

test('locations are equal under the newer and the earlier field name', () => {
  const fixed = (fields: object) => definition.fixed(connect({ credentials: 'x', ...fields }));
  const named = fixed({ replication_locations: 'us-east1,europe-west1' });
  expect(fixed({ replica_regions: { 'europe-west1': '', 'us-east1': '' } })).toEqual(named);
  expect(fixed({ replica_regions: { 'europe-west1': ring('europe-west1') } })).not.toEqual(named);
  expect(fixed({})).not.toEqual(named);
});
