import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '../../../lib/destinations/cloud-a-sm/fake.ts';
import type { Driver } from '../../../lib/destinations/contract.ts';
import { calm, failureOf, item, open } from './connection.ts';

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

const versionsOf = (name: string) => fake.secret(name)?.versions ?? [];

describe('without permission to look', () => {
  beforeEach(() => fake.deny('DescribeSecret'));

  test('secrets are created, updated, brought back and removed', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    const second = await driver.put(item('app/db', 'two', { claim: 'update', ...first }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('two');
    await driver.remove(item('app/db', '', second), calm());
    expect(fake.objects().size).toBe(0);
    await driver.put(item('app/db', 'three', { claim: 'update', ...second }), calm());
    await driver.put(item('app/other', 'four', { claim: 'update' }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('three');
    expect(fake.objects().get('app/other')?.value).toBe('four');
  });

  test('a repeat after a lost answer works and adds no version', async () => {
    fake.fail({ kind: 'lost-answer', times: 1 });
    await failureOf(driver.put(item('app/db', 'one'), calm()));
    const first = await driver.put(item('app/db', 'one'), calm());
    const change = item('app/db', 'two', { claim: 'update', ...first });
    await driver.put(change, calm());
    await driver.put(change, calm());
    expect(versionsOf('app/db').map(({ value }) => value)).toEqual(['one', 'two']);
  });

  test('a name that is taken fails and says which permission is missing', async () => {
    fake.seed('app/db', 'theirs');
    const failure = await failureOf(driver.put(item('app/db', 'ours'), calm()));
    expect(failure.kind).toBe('permission');
    expect(failure.message).toContain('secretsmanager:DescribeSecret');
    expect(fake.objects().get('app/db')?.value).toBe('theirs');
  });

  test('a look answers unknown', async () => {
    expect(await driver.inspect('app/db', calm())).toBe('unknown');
  });
});
