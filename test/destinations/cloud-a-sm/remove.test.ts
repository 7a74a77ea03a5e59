import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '../../../lib/destinations/cloud-a-sm/fake.ts';
import type { Driver } from '../../../lib/destinations/contract.ts';
import { calm, failureOf, item, newMark, open } from './connection.ts';

let fake: CloudASmFake;
let driver: Driver;
const dayMs = 24 * 60 * 60_000;

beforeEach(async () => {
  fake = await startFake();
  driver = open(fake);
});
afterEach(async () => {
  await driver.close();
  await fake.close();
});

describe('removing', () => {
  test('a secret waits seven days for its deletion unless the field says otherwise', async () => {
    const longer = open(fake, { recovery_window_days: 30 });
    await driver.put(item('app/a', 'one'), calm());
    await longer.put(item('app/b', 'one'), calm());
    await driver.remove(item('app/a', ''), calm());
    await longer.remove(item('app/b', ''), calm());
    const inDays = (name: string) => ((fake.secret(name)?.deletedAt?.getTime() ?? 0) - Date.now()) / dayMs;
    expect(Math.round(inDays('app/a'))).toBe(7);
    expect(Math.round(inDays('app/b'))).toBe(30);
    await longer.close();
  });

  test('with a window of 0 days it is gone at once', async () => {
    const atOnce = open(fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    await atOnce.remove(item('app/db', ''), calm());
    expect(fake.secret('app/db')).toBeUndefined();
    await atOnce.close();
  });

  test('removing twice, or what was never there, succeeds', async () => {
    await driver.put(item('app/db', 'one'), calm());
    await driver.remove(item('app/db', ''), calm());
    await driver.remove(item('app/db', ''), calm());
    await driver.remove(item('app/none', ''), calm());
    expect(fake.calls().get('DeleteSecret')).toBe(1);
  });

  test('unseen, removing twice or what was never there succeeds too', async () => {
    await driver.put(item('app/db', 'one'), calm());
    fake.deny('DescribeSecret');
    await driver.remove(item('app/db', ''), calm());
    await driver.remove(item('app/db', ''), calm());
    await driver.remove(item('app/none', ''), calm());
    expect(fake.objects().size).toBe(0);
  });

  test.each(['TagResource', 'DeleteSecret'])('a repeat after a lost answer to %s succeeds', async (operation) => {
    await driver.put(item('app/db', 'one'), calm());
    fake.failOf(operation, { kind: 'lost-answer', times: 1 });
    expect((await failureOf(driver.remove(item('app/db', ''), calm()))).kind).toBe('network');
    await driver.remove(item('app/db', ''), calm());
    expect(fake.secret('app/db')?.deletedAt).toBeDefined();
  });

  test('a secret that took the place of ours stays', async () => {
    const { remoteVersion } = await driver.put(item('app/db', 'one'), calm());
    fake.seed('app/db', 'theirs');
    await driver.remove(item('app/db', '', { remoteVersion }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('theirs');
  });

  test('a secret whose tags were taken off is known by its version', async () => {
    const { remoteVersion } = await driver.put(item('app/db', 'one'), calm());
    fake.tag('app/db', { 'keyferry-mark': '' });
    await driver.remove(item('app/db', '', { remoteVersion }), calm());
    expect(fake.objects().size).toBe(0);
  });

  test('replicas go before their secret', async () => {
    const replicated = open(fake, { replica_regions: { 'eu-west-1': '' } });
    await replicated.put(item('app/db', 'one'), calm());
    await replicated.remove(item('app/db', ''), calm());
    expect(fake.objects().size).toBe(0);
    await replicated.close();
  });

  test('without permission to tag it is removed all the same', async () => {
    await driver.put(item('app/db', 'one'), calm());
    fake.deny('TagResource');
    await driver.remove(item('app/db', ''), calm());
    expect(fake.objects().size).toBe(0);
  });
});

describe('setting again what was removed', () => {
  test('the same association and another one both get the secret back, with no tag of its earlier life', async () => {
    const tags = { ...item('', '').tags, team: 'blue' };
    await driver.put(item('app/db', 'one', { tags }), calm());
    for (const mark of ['0'.repeat(32), newMark()]) {
      const before = fake.objects().get('app/db')?.tags['keyferry-mark'] ?? '';
      await driver.remove(item('app/db', '', { mark: before }), calm());
      await driver.put(item('app/db', `two ${mark}`, { mark }), calm());
      expect(fake.objects().get('app/db')).toEqual({
        value: `two ${mark}`,
        tags: { keyferry: 'managed', 'keyferry-mark': mark },
      });
    }
  });

  test.each(['CreateSecret', 'RestoreSecret', 'UntagResource', 'TagResource', 'PutSecretValue'])(
    'an answer to %s that is lost leaves no conflict and no tag behind and adds no version',
    async (operation) => {
      await driver.put(item('app/db', 'one', { tags: { ...item('', '').tags, team: 'blue' } }), calm());
      await driver.remove(item('app/db', ''), calm());
      const again = item('app/db', 'two', { mark: newMark() });
      fake.failOf(operation, { kind: 'lost-answer', times: 1 });
      expect((await failureOf(driver.put(again, calm()))).kind).toBe('network');
      await driver.put(again, calm());
      expect(fake.objects().get('app/db')).toEqual({ value: 'two', tags: again.tags });
      expect(fake.secret('app/db')?.versions.map(({ value }) => value)).toEqual(['one', 'two']);
    },
  );

  test('a removal deletes again what a put restored before it died, also for another association', async () => {
    await driver.put(item('app/db', 'one'), calm());
    await driver.remove(item('app/db', ''), calm());
    const again = item('app/db', 'two', { mark: newMark() });
    fake.failOf('RestoreSecret', { kind: 'lost-answer', times: 1 });
    expect((await failureOf(driver.put(again, calm()))).kind).toBe('network');
    expect(fake.objects().get('app/db')?.value).toBe('one');
    await driver.remove(again, calm());
    expect(fake.objects().size).toBe(0);
  });

  test('a deleted secret of somebody else is a conflict and stays deleted', async () => {
    fake.seed('app/db', 'theirs');
    fake.schedule('app/db');
    const failure = await failureOf(driver.put(item('app/db', 'ours'), calm()));
    expect(failure.kind).toBe('conflict');
    expect(failure.message).toContain('waits for its deletion');
    expect(fake.secret('app/db')?.deletedAt).toBeDefined();
  });

  test('a name that never gets free ends as unavailable, with a time to come back', async () => {
    const atOnce = open(fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    fake.linger(1_000);
    await atOnce.remove(item('app/db', ''), calm());
    const failure = await failureOf(atOnce.put(item('app/db', 'two'), calm()));
    expect([failure.kind, failure.retryAfterMs]).toEqual(['unavailable', 15_000]);
    await atOnce.close();
  });
});

describe('looking', () => {
  test('tells version and mark, and nothing for what is absent or deleted', async () => {
    const { remoteVersion } = await driver.put(item('app/db', 'one'), calm());
    expect(await driver.inspect('app/db', calm())).toEqual({ remoteVersion, mark: '0'.repeat(32) });
    fake.seed('app/theirs', 'x');
    expect(await driver.inspect('app/theirs', calm())).toMatchObject({ mark: null });
    expect(await driver.inspect('app/none', calm())).toBeUndefined();
    await driver.remove(item('app/db', ''), calm());
    expect(await driver.inspect('app/db', calm())).toBeUndefined();
  });

  test('never asks for a value', async () => {
    await driver.put(item('app/db', 'one'), calm());
    await driver.put(item('app/db', 'two', { claim: 'adopt' }), calm());
    await driver.inspect('app/db', calm());
    await driver.remove(item('app/db', ''), calm());
    expect(fake.calls().get('GetSecretValue')).toBeUndefined();
  });
});
