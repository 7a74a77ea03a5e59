import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '../../../lib/destinations/cloud-a-sm/fake.ts';
import type { Driver } from '../../../lib/destinations/contract.ts';
import { calm, item, open } from './connection.ts';

let fake: CloudASmFake;
let driver: Driver;

beforeEach(async () => {
  fake = await startFake();
  driver = open(fake);
});
afterEach(async () => {
  await driver.close();
  await fake.close();
});

describe('keys and replicas', () => {
  const regions = { 'eu-west-1': '', 'us-west-2': 'arn:aws:kms:us-west-2:111122223333:key/abc' };

  test('a new secret is made with its key and its replicas', async () => {
    const keyed = open(fake, { kms_key_id: 'alias/app', replica_regions: regions });
    await keyed.put(item('app/db', 'one'), calm());
    expect(fake.secret('app/db')).toMatchObject({ kmsKeyId: 'alias/app', replicas: regions });
    await keyed.close();
  });

  test('a secret that is there is brought in line, and only where it differs', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    const keyed = open(fake, { kms_key_id: 'alias/app', replica_regions: 'eu-west-1=,us-east-2=' });
    const second = await keyed.put(item('app/db', 'two', { claim: 'update', ...first }), calm());
    expect(fake.secret('app/db')?.replicas).toEqual({ 'eu-west-1': '', 'us-east-2': '' });
    const moved = open(fake, { kms_key_id: 'arn:aws:kms:us-east-1:111122223333:alias/app', replica_regions: regions });
    await moved.put(item('app/db', 'three', { claim: 'update', ...second }), calm());
    expect(fake.secret('app/db')).toMatchObject({ kmsKeyId: 'alias/app', replicas: regions });
    expect(fake.calls().get('UpdateSecret')).toBe(1);
    await Promise.all([keyed.close(), moved.close()]);
  });

  test('without the fields, key and replicas of a secret stay', async () => {
    const keyed = open(fake, { kms_key_id: 'alias/app', replica_regions: regions });
    const first = await keyed.put(item('app/db', 'one'), calm());
    await driver.put(item('app/db', 'two', { claim: 'update', ...first }), calm());
    expect(fake.secret('app/db')).toMatchObject({ kmsKeyId: 'alias/app', replicas: regions });
    await keyed.close();
  });
});
