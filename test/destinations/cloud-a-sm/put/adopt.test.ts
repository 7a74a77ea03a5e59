import { describe, expect, test } from 'vitest';
import { calm, item, standForEach, versionIn } from '../connection.ts';

const stand = standForEach();

const versionsOf = (name: string) => stand.fake.secret(name)?.versions ?? [];

describe('adopting', () => {
  test('a foreign secret gets our value and our mark, and keeps its tags', async () => {
    stand.fake.seed('app/db', 'theirs');
    stand.fake.tag('app/db', { theirs: 'x' });
    await stand.driver.put(item('app/db', 'ours', { mode: 'adopt' }), calm());
    expect(stand.fake.objects().get('app/db')).toEqual({ value: 'ours', tags: { ...item('', '').tags, theirs: 'x' } });
  });

  test('a foreign secret that has the value already gets no version', async () => {
    stand.fake.seed('app/db', 'same');
    const { remoteVersion } = await stand.driver.put(item('app/db', 'same', { mode: 'adopt' }), calm());
    expect(versionsOf('app/db').map(({ id }) => id)).toEqual([versionIn(remoteVersion)]);
  });

  test('creates a missing secret, and restores one that is scheduled for deletion', async () => {
    await stand.driver.put(item('app/new', 'ours', { mode: 'adopt' }), calm());
    stand.fake.seed('app/old', 'theirs');
    stand.fake.schedule('app/old');
    await stand.driver.put(item('app/old', 'ours', { mode: 'adopt' }), calm());
    expect([...stand.fake.objects()].map(([name, { value }]) => [name, value])).toEqual([
      ['app/new', 'ours'],
      ['app/old', 'ours'],
    ]);
  });
});
