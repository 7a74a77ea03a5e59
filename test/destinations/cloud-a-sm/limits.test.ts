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

describe('refusing before any call', () => {
  test('an empty value, a value that is too large, and a name outside the rule', async () => {
    const failures = [
      await failureOf(driver.put(item('app/db', ''), calm())),
      await failureOf(driver.put(item('app/db', 'ä'.repeat(32_769)), calm())),
      await failureOf(driver.put(item('app db', 'one'), calm())),
    ];
    expect(failures.map(({ kind }) => kind)).toEqual(['invalid', 'too-large', 'name']);
    expect(fake.calls().size).toBe(0);
  });

  test('the largest value and the longest name pass', async () => {
    const name = 'n'.repeat(512);
    await driver.put(item(name, 'x'.repeat(65_536)), calm());
    expect(fake.objects().get(name)?.value).toHaveLength(65_536);
  });
});
