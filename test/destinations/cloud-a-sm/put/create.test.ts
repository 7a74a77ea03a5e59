import { describe, expect, test } from 'vitest';
import { calm, failureOf, item, newMark, open, standForEach, versionIn } from '../connection.ts';

const stand = standForEach();

const versionsOf = (name: string) => stand.fake.secret(name)?.versions ?? [];

describe('creating', () => {
  test('a new secret gets its value, its tags and a version', async () => {
    const { remoteVersion } = await stand.driver.put(item('app/db', 'pässword\n"1"\u{1f511}'), calm());
    expect(stand.fake.objects().get('app/db')).toEqual({
      value: 'pässword\n"1"\u{1f511}',
      tags: { keyferry: 'managed', 'keyferry-mark': '0'.repeat(32) },
    });
    expect(versionsOf('app/db').map(({ id }) => id)).toEqual([versionIn(remoteVersion)]);
  });

  test('a repeated put adds no version and returns the same one', async () => {
    const first = await stand.driver.put(item('app/db', 'one'), calm());
    expect(await stand.driver.put(item('app/db', 'one'), calm())).toEqual(first);
    expect(await stand.driver.put(item('app/db', 'one', { mode: 'update' }), calm())).toEqual(first);
    expect(versionsOf('app/db')).toHaveLength(1);
  });

  test('a repeat after a lost answer adds no version', async () => {
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    expect((await failureOf(stand.driver.put(item('app/db', 'one'), calm()))).kind).toBe('network');
    await stand.driver.put(item('app/db', 'one'), calm());
    expect(versionsOf('app/db')).toHaveLength(1);
  });

  test('a repeat with another value and other tags writes both, although the first put arrived', async () => {
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    await failureOf(stand.driver.put(item('app/db', 'one'), calm()));
    await stand.driver.put(item('app/db', 'two'), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('two');
    const tags = { ...item('app/db', '').tags, team: 'blue' };
    await stand.driver.put(item('app/db', 'two', { tags }), calm());
    expect(stand.fake.objects().get('app/db')?.tags['team']).toBe('blue');
  });

  test('an earlier value becomes current again, although all answers in between were lost', async () => {
    for (const value of ['one', 'two']) {
      stand.fake.fail({ kind: 'lost-answer', times: 1 });
      await failureOf(stand.driver.put(item('app/db', value), calm()));
    }
    await stand.driver.put(item('app/db', 'one'), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('one');
  });

  test('a foreign secret is a conflict and does not change', async () => {
    stand.fake.seed('app/db', 'theirs');
    const failure = await failureOf(stand.driver.put(item('app/db', 'ours'), calm()));
    expect(failure.kind).toBe('conflict');
    expect(failure.message).toContain('adopt');
    expect(stand.fake.objects().get('app/db')).toEqual({ value: 'theirs', tags: {} });
  });

  test('a secret with the mark of another association is a conflict', async () => {
    await stand.driver.put(item('app/db', 'one', { mark: newMark() }), calm());
    expect((await failureOf(stand.driver.put(item('app/db', 'two', { mark: newMark() }), calm()))).kind).toBe(
      'conflict',
    );
    expect(stand.fake.objects().get('app/db')?.value).toBe('one');
  });

  test('a name that is still taken after an immediate deletion is retried until it is free', async () => {
    const atOnce = open(stand.fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    stand.fake.linger(2);
    await atOnce.remove(item('app/db', ''), calm());
    await atOnce.put(item('app/db', 'two', { mark: newMark() }), calm());
    expect(stand.fake.objects().get('app/db')?.value).toBe('two');
    expect(stand.fake.calls().get('CreateSecret')).toBe(4);
    await atOnce.close();
  });

  test('an abort ends the wait for a name', async () => {
    const atOnce = open(stand.fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    stand.fake.linger(1_000);
    await atOnce.remove(item('app/db', ''), calm());
    const controller = new AbortController();
    const putting = failureOf(atOnce.put(item('app/db', 'two'), controller.signal));
    setTimeout(() => controller.abort(), 100);
    expect((await putting).kind).toBe('timeout');
    await atOnce.close();
  });
});
