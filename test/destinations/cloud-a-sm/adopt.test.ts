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

const versionsOf = (name: string) => fake.secret(name)?.versions ?? [];

describe('adopting', () => {
  test('a foreign secret gets our value and our mark, and keeps its tags', async () => {
    fake.seed('app/db', 'theirs');
    fake.tag('app/db', { theirs: 'x' });
    await driver.put(item('app/db', 'ours', { claim: 'adopt' }), calm());
    expect(fake.objects().get('app/db')).toEqual({ value: 'ours', tags: { ...item('', '').tags, theirs: 'x' } });
  });

  test('a foreign secret that has the value already gets no version', async () => {
    fake.seed('app/db', 'same');
    const { remoteVersion } = await driver.put(item('app/db', 'same', { claim: 'adopt' }), calm());
    expect(versionsOf('app/db').map(({ id }) => id)).toEqual([remoteVersion]);
  });

  test('where nothing is, a secret is created; where one waits for its deletion, it comes back', async () => {
    await driver.put(item('app/new', 'ours', { claim: 'adopt' }), calm());
    fake.seed('app/old', 'theirs');
    fake.schedule('app/old');
    await driver.put(item('app/old', 'ours', { claim: 'adopt' }), calm());
    expect([...fake.objects()].map(([name, { value }]) => [name, value])).toEqual([
      ['app/new', 'ours'],
      ['app/old', 'ours'],
    ]);
  });
});
