import { describe, expect, test } from 'vitest';
import { calm, item, open, standForEach } from '../connection.ts';

const stand = standForEach();

describe('keys and replicas', () => {
  const regions = { 'eu-west-1': '', 'us-west-2': 'arn:aws:kms:us-west-2:111122223333:key/abc' };

  test('a new secret is created with its key and its replicas', async () => {
    const keyed = open(stand.fake, { kms_key_id: 'alias/app', replica_regions: regions });
    await keyed.put(item('app/db', 'one'), calm());
    expect(stand.fake.secret('app/db')).toMatchObject({ kmsKeyId: 'alias/app', replicas: regions });
    await keyed.close();
  });

  test('an existing secret is changed only where it differs', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    const keyed = open(stand.fake, { kms_key_id: 'alias/app', replica_regions: 'eu-west-1=,us-east-2=' });
    const second = await keyed.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(stand.fake.secret('app/db')?.replicas).toEqual({ 'eu-west-1': '', 'us-east-2': '' });
    const moved = open(stand.fake, {
      kms_key_id: 'arn:aws:kms:us-east-1:111122223333:alias/app',
      replica_regions: regions,
    });
    await moved.put(item('app/db', 'three', { mode: 'update', ...second }), calm());
    expect(stand.fake.secret('app/db')).toMatchObject({ kmsKeyId: 'alias/app', replicas: regions });
    expect(stand.fake.calls().get('UpdateSecret')).toBe(1);
    await Promise.all([keyed.close(), moved.close()]);
  });

  test('without the fields, key and replicas of a secret stay', async () => {
    const keyed = open(stand.fake, { kms_key_id: 'alias/app', replica_regions: regions });
    const first = await keyed.put(item('app/db', 'one'), calm());
    await stand.driver.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(stand.fake.secret('app/db')).toMatchObject({ kmsKeyId: 'alias/app', replicas: regions });
    await keyed.close();
  });

  test('a replica with a key other than the field is recreated with that key, the others stay', async () => {
    const keyed = open(stand.fake, { replica_regions: { ...regions, 'eu-north-1': '' } });
    const first = await keyed.put(item('app/db', 'one'), calm());
    const other = { ...regions, 'us-west-2': 'arn:aws:kms:us-west-2:111122223333:key/other', 'eu-north-1': '' };
    const moved = open(stand.fake, { replica_regions: other });
    const second = await moved.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(stand.fake.secret('app/db')?.replicas).toEqual(other);
    const calls = () =>
      ['ReplicateSecretToRegions', 'RemoveRegionsFromReplication'].map((one) => stand.fake.calls().get(one));
    expect(calls()).toEqual([1, 1]);
    await moved.put(item('app/db', 'three', { mode: 'update', ...second }), calm());
    expect(calls()).toEqual([1, 1]);
    await Promise.all([keyed.close(), moved.close()]);
  });

  test('without permission to look, a value is still written with the key of the destination', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.deny('DescribeSecret');
    const keyed = open(stand.fake, { kms_key_id: 'alias/app' });
    await keyed.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(stand.fake.secret('app/db')?.kmsKeyId).toBe('alias/app');
    await keyed.close();
  });
});
