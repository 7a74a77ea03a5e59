import { beforeEach, describe, expect, test } from 'vitest';
import { calm, failureOf, item, standForEach } from './connection.ts';

const stand = standForEach();

const versionsOf = (name: string) => stand.fake.secret(name)?.versions ?? [];

describe('without permission to look', () => {
  beforeEach(() => stand.fake.deny('DescribeSecret'));

  test('secrets are created, updated, restored and removed', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    const second = await stand.driver.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('two');
    await stand.driver.remove(item('app/db', '', second), calm());
    expect(stand.fake.objects().size).toBe(0);
    await stand.driver.put(item('app/db', 'three', { mode: 'update', ...second }), calm());
    await stand.driver.put(item('app/other', 'four', { mode: 'update' }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('three');
    expect(stand.fake.objects().get('app/other')?.value).toBe('four');
  });

  test('a repeat after a lost answer works and adds no version', async () => {
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    await failureOf(stand.driver.put(item('app/db', 'one'), calm()));
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    const change = item('app/db', 'two', { mode: 'update', ...first });
    await stand.driver.put(change, calm());
    await stand.driver.put(change, calm());
    expect(versionsOf('app/db').map(({ value }) => value)).toEqual(['one', 'two']);
  });

  test('a taken name is a failure that names the missing permission', async () => {
    stand.fake.seed('app/db', 'theirs');
    const failure = await failureOf(stand.driver.put(item('app/db', 'ours'), calm()));
    expect(failure.kind).toBe('permission');
    expect(failure.message).toContain('secretsmanager:DescribeSecret');
    expect(stand.fake.objects().get('app/db')?.value).toBe('theirs');
  });

  test('a look returns unknown', async () => {
    expect(await stand.driver.inspect('app/db', calm())).toBe('unknown');
  });
});
