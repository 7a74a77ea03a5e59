import { describe, expect, test } from 'vitest';
import { calm, failureOf, item, newMark, open, standForEach } from './connection.ts';

const stand = standForEach();
const dayMs = 24 * 60 * 60_000;

describe('removing', () => {
  test('a secret is deleted after seven days unless the field says otherwise', async () => {
    const longer = open(stand.fake, { recovery_window_days: 30 });
    await stand.driver.put(item('app/a', 'one'), calm());
    await longer.put(item('app/b', 'one'), calm());
    await stand.driver.remove(item('app/a', ''), calm());
    await longer.remove(item('app/b', ''), calm());
    const inDays = (name: string) => ((stand.fake.secret(name)?.deletedAt?.getTime() ?? 0) - Date.now()) / dayMs;
    expect(Math.round(inDays('app/a'))).toBe(7);
    expect(Math.round(inDays('app/b'))).toBe(30);
    await longer.close();
  });

  test('with a window of 0 days it is deleted at once', async () => {
    const atOnce = open(stand.fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    await atOnce.remove(item('app/db', ''), calm());
    expect(stand.fake.secret('app/db')).toBeUndefined();
    await atOnce.close();
  });

  test('removing twice, or a secret that never existed, succeeds', async () => {
    await stand.driver.put(item('app/db', 'one'), calm());
    await stand.driver.remove(item('app/db', ''), calm());
    await stand.driver.remove(item('app/db', ''), calm());
    await stand.driver.remove(item('app/none', ''), calm());
    expect(stand.fake.calls().get('DeleteSecret')).toBe(1);
  });

  test('the same succeeds without permission to look', async () => {
    await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.deny('DescribeSecret');
    await stand.driver.remove(item('app/db', ''), calm());
    await stand.driver.remove(item('app/db', ''), calm());
    await stand.driver.remove(item('app/none', ''), calm());
    expect(stand.fake.objects().size).toBe(0);
  });

  test.each(['TagResource', 'DeleteSecret'])('a repeat after a lost answer to %s succeeds', async (operation) => {
    await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.failOf(operation, { kind: 'lost-answer', times: 1 });
    expect((await failureOf(stand.driver.remove(item('app/db', ''), calm()))).kind).toBe('network');
    await stand.driver.remove(item('app/db', ''), calm());
    expect(stand.fake.secret('app/db')?.deletedAt).toBeDefined();
  });

  test('a secret that replaced ours is kept', async () => {
    const { remoteVersion } = await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.seed('app/db', 'theirs');
    await stand.driver.remove(item('app/db', '', { remoteVersion }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('theirs');
  });

  test('a secret whose tags were removed is recognised by its version', async () => {
    const { remoteVersion } = await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.tag('app/db', { 'keyferry-mark': '' });
    await stand.driver.remove(item('app/db', '', { remoteVersion }), calm());
    expect(stand.fake.objects().size).toBe(0);
  });

  test('replicas are removed before their secret', async () => {
    const replicated = open(stand.fake, { replica_regions: { 'eu-west-1': '' } });
    await replicated.put(item('app/db', 'one'), calm());
    await replicated.remove(item('app/db', ''), calm());
    expect(stand.fake.objects().size).toBe(0);
    await replicated.close();
  });

  test('a secret is removed even without permission to tag it', async () => {
    await stand.driver.put(item('app/db', 'one'), calm());
    stand.fake.deny('TagResource');
    await stand.driver.remove(item('app/db', ''), calm());
    expect(stand.fake.objects().size).toBe(0);
  });
});

describe('setting a removed secret again', () => {
  test('restores it for the same association and for another one, without its earlier tags', async () => {
    const tags = { ...item('', '').tags, team: 'blue' };
    await stand.driver.put(item('app/db', 'one', { tags }), calm());
    for (const mark of ['0'.repeat(32), newMark()]) {
      const before = stand.fake.objects().get('app/db')?.tags['keyferry-mark'] ?? '';
      await stand.driver.remove(item('app/db', '', { mark: before }), calm());
      await stand.driver.put(item('app/db', `two ${mark}`, { mark }), calm());
      expect(stand.fake.objects().get('app/db')).toEqual({
        value: `two ${mark}`,
        tags: { keyferry: 'managed', 'keyferry-mark': mark },
      });
    }
  });

  test.each(['CreateSecret', 'RestoreSecret', 'UntagResource', 'TagResource', 'PutSecretValue'])(
    'a lost answer to %s leaves no conflict and no tag behind, and adds no version',
    async (operation) => {
      await stand.driver.put(item('app/db', 'one', { tags: { ...item('', '').tags, team: 'blue' } }), calm());
      await stand.driver.remove(item('app/db', ''), calm());
      const again = item('app/db', 'two', { mark: newMark() });
      stand.fake.failOf(operation, { kind: 'lost-answer', times: 1 });
      expect((await failureOf(stand.driver.put(again, calm()))).kind).toBe('network');
      await stand.driver.put(again, calm());
      expect(stand.fake.objects().get('app/db')).toEqual({ value: 'two', tags: again.tags });
      expect(stand.fake.secret('app/db')?.versions.map(({ value }) => value)).toEqual(['one', 'two']);
    },
  );

  test('a removal deletes a secret that an aborted put restored, also for another association', async () => {
    await stand.driver.put(item('app/db', 'one'), calm());
    await stand.driver.remove(item('app/db', ''), calm());
    const again = item('app/db', 'two', { mark: newMark() });
    stand.fake.failOf('RestoreSecret', { kind: 'lost-answer', times: 1 });
    expect((await failureOf(stand.driver.put(again, calm()))).kind).toBe('network');
    expect(stand.fake.objects().get('app/db')?.value).toBe('one');
    await stand.driver.remove(again, calm());
    expect(stand.fake.objects().size).toBe(0);
  });

  test('a deleted foreign secret is a conflict and stays deleted', async () => {
    stand.fake.seed('app/db', 'theirs');
    stand.fake.schedule('app/db');
    const failure = await failureOf(stand.driver.put(item('app/db', 'ours'), calm()));
    expect(failure.kind).toBe('conflict');
    expect(failure.message).toContain('scheduled for deletion');
    expect(stand.fake.secret('app/db')?.deletedAt).toBeDefined();
  });

  test('a name that never becomes free ends as unavailable, with a wait', async () => {
    const atOnce = open(stand.fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    stand.fake.linger(1_000);
    await atOnce.remove(item('app/db', ''), calm());
    const failure = await failureOf(atOnce.put(item('app/db', 'two'), calm()));
    expect([failure.kind, failure.retryAfterMs]).toEqual(['unavailable', 15_000]);
    await atOnce.close();
  });
});

describe('looking', () => {
  test('returns version and mark, and nothing for a missing or deleted secret', async () => {
    const { remoteVersion } = await stand.driver.put(item('app/db', 'one'), calm());
    expect(await stand.driver.inspect('app/db', calm())).toMatchObject({ remoteVersion, mark: '0'.repeat(32) });
    stand.fake.seed('app/theirs', 'x');
    expect(await stand.driver.inspect('app/theirs', calm())).toMatchObject({ mark: null });
    expect(await stand.driver.inspect('app/none', calm())).toBeUndefined();
    await stand.driver.remove(item('app/db', ''), calm());
    expect(await stand.driver.inspect('app/db', calm())).toBeUndefined();
  });

  test('never reads a value', async () => {
    await stand.driver.put(item('app/db', 'one'), calm());
    await stand.driver.put(item('app/db', 'two', { mode: 'adopt' }), calm());
    await stand.driver.inspect('app/db', calm());
    await stand.driver.remove(item('app/db', ''), calm());
    expect(stand.fake.calls().get('GetSecretValue')).toBeUndefined();
  });
});
