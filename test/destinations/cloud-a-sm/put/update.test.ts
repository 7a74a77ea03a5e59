import { describe, expect, test } from 'vitest';
import { calm, failureOf, item, standForEach, versionIn } from '../connection.ts';

const stand = standForEach();

const versionsOf = (name: string) => stand.fake.secret(name)?.versions ?? [];

describe('updating', () => {
  test('a new value becomes current and the earlier one becomes previous', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    const second = await stand.driver.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(second).not.toEqual(first);
    expect(versionsOf('app/db')).toEqual([
      { id: versionIn(first.remoteVersion), value: 'one', stages: ['AWSPREVIOUS'] },
      { id: versionIn(second.remoteVersion), value: 'two', stages: ['AWSCURRENT'] },
    ]);
  });

  test('an earlier value becomes current again, even without a recorded version', async () => {
    await stand.driver.put(item('app/db', 'one'), calm());
    for (const value of ['two', 'three', 'one', 'two']) {
      await stand.driver.put(item('app/db', value, { mode: 'update' }), calm());
      expect(stand.fake.objects().get('app/db')?.value).toBe(value);
    }
  });

  test('a repeat after a lost answer adds no version', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    const again = item('app/db', 'two', { mode: 'update', ...first });
    await failureOf(stand.driver.put(again, calm()));
    await stand.driver.put(again, calm());
    await stand.driver.put(again, calm());
    expect(versionsOf('app/db').map(({ value }) => value)).toEqual(['one', 'two']);
  });

  test('a foreign value is replaced and its version becomes the previous one', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.change('app/db', 'changed by hand');
    await stand.driver.put(item('app/db', 'one', { mode: 'update', ...first }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('one');
    expect(stand.fake.objects().get('app/db')?.tags['keyferry-mark']).toBe('0'.repeat(32));
  });

  test('a secret that vanished is created again', async () => {
    await stand.driver.put(item('app/db', 'one', { mode: 'update', remoteVersion: 'a'.repeat(32) }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('one');
  });

  test('a secret that was deleted by hand is restored', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.schedule('app/db');
    await stand.driver.put(item('app/db', 'two', { mode: 'update', ...first }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('two');
  });

  test('stale tags are removed, new ones added, and those of others kept', async () => {
    const tags = { ...item('', '').tags, team: 'blue', stage: 'test' };
    const first = await stand.driver.put(item('app/db', 'one', { tags }), calm());
    stand.fake.tag('app/db', { theirs: 'x' });
    const wanted = { ...item('', '').tags, team: 'red' };
    const change = item('app/db', 'one', {
      mode: 'update',
      tags: wanted,
      staleTags: ['stage', 'gone', 'team'],
      ...first,
    });
    await stand.driver.put(change, calm());
    expect(stand.fake.objects().get('app/db')?.tags).toEqual({ ...wanted, theirs: 'x' });
    await stand.driver.put(change, calm());
    expect([stand.fake.calls().get('TagResource'), stand.fake.calls().get('UntagResource')]).toEqual([1, 1]);
  });
});
