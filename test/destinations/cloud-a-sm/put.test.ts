import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '../../../lib/destinations/cloud-a-sm/fake.ts';
import type { Driver } from '../../../lib/destinations/contract.ts';
import { calm, failureOf, item, newMark, open } from './connection.ts';

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

describe('creating', () => {
  test('a new secret gets its value, its tags and a version', async () => {
    const { remoteVersion } = await driver.put(item('app/db', 'pässword\n"1"\u{1f511}'), calm());
    expect(fake.objects().get('app/db')).toEqual({
      value: 'pässword\n"1"\u{1f511}',
      tags: { keyferry: 'managed', 'keyferry-mark': '0'.repeat(32) },
    });
    expect(versionsOf('app/db').map(({ id }) => id)).toEqual([remoteVersion]);
  });

  test('the same put again adds no version and tells the same one', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    expect(await driver.put(item('app/db', 'one'), calm())).toEqual(first);
    expect(await driver.put(item('app/db', 'one', { claim: 'update' }), calm())).toEqual(first);
    expect(versionsOf('app/db')).toHaveLength(1);
  });

  test('a repeat after a lost answer adds no version', async () => {
    fake.fail({ kind: 'lost-answer', times: 1 });
    expect((await failureOf(driver.put(item('app/db', 'one'), calm()))).kind).toBe('network');
    await driver.put(item('app/db', 'one'), calm());
    expect(versionsOf('app/db')).toHaveLength(1);
  });

  test('a repeat with another value and other tags brings both, though the first one arrived', async () => {
    fake.fail({ kind: 'lost-answer', times: 1 });
    await failureOf(driver.put(item('app/db', 'one'), calm()));
    await driver.put(item('app/db', 'two'), calm());
    expect(fake.objects().get('app/db')?.value).toBe('two');
    const tags = { ...item('app/db', '').tags, team: 'blue' };
    await driver.put(item('app/db', 'two', { tags }), calm());
    expect(fake.objects().get('app/db')?.tags['team']).toBe('blue');
  });

  test('a value that comes back becomes current again, though all answers between were lost', async () => {
    for (const value of ['one', 'two']) {
      fake.fail({ kind: 'lost-answer', times: 1 });
      await failureOf(driver.put(item('app/db', value), calm()));
    }
    await driver.put(item('app/db', 'one'), calm());
    expect(fake.objects().get('app/db')?.value).toBe('one');
  });

  test('a secret of somebody else is a conflict and stays as it is', async () => {
    fake.seed('app/db', 'theirs');
    const failure = await failureOf(driver.put(item('app/db', 'ours'), calm()));
    expect(failure.kind).toBe('conflict');
    expect(failure.message).toContain('adopt');
    expect(fake.objects().get('app/db')).toEqual({ value: 'theirs', tags: {} });
  });

  test('a secret with the mark of another association is a conflict', async () => {
    await driver.put(item('app/db', 'one', { mark: newMark() }), calm());
    expect((await failureOf(driver.put(item('app/db', 'two', { mark: newMark() }), calm()))).kind).toBe('conflict');
    expect(fake.objects().get('app/db')?.value).toBe('one');
  });

  test('a name that is still taken after a deletion at once is tried until it is free', async () => {
    const atOnce = open(fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    fake.linger(2);
    await atOnce.remove(item('app/db', ''), calm());
    await atOnce.put(item('app/db', 'two', { mark: newMark() }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('two');
    expect(fake.calls().get('CreateSecret')).toBe(4);
    await atOnce.close();
  });

  test('an abort ends the wait for a name', async () => {
    const atOnce = open(fake, { recovery_window_days: 0 });
    await atOnce.put(item('app/db', 'one'), calm());
    fake.linger(1_000);
    await atOnce.remove(item('app/db', ''), calm());
    const controller = new AbortController();
    const putting = failureOf(atOnce.put(item('app/db', 'two'), controller.signal));
    setTimeout(() => controller.abort(), 100);
    expect((await putting).kind).toBe('timeout');
    await atOnce.close();
  });
});

describe('updating', () => {
  test('a new value becomes current and the one before stays previous', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    const second = await driver.put(item('app/db', 'two', { claim: 'update', ...first }), calm());
    expect(second).not.toEqual(first);
    expect(versionsOf('app/db')).toEqual([
      { id: first.remoteVersion, value: 'one', stages: ['AWSPREVIOUS'] },
      { id: second.remoteVersion, value: 'two', stages: ['AWSCURRENT'] },
    ]);
  });

  test('a value that was there before becomes current again, with and without knowledge of versions', async () => {
    await driver.put(item('app/db', 'one'), calm());
    for (const value of ['two', 'three', 'one', 'two']) {
      await driver.put(item('app/db', value, { claim: 'update' }), calm());
      expect(fake.objects().get('app/db')?.value).toBe(value);
    }
  });

  test('a repeat after a lost answer adds no version', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    fake.fail({ kind: 'lost-answer', times: 1 });
    const again = item('app/db', 'two', { claim: 'update', ...first });
    await failureOf(driver.put(again, calm()));
    await driver.put(again, calm());
    await driver.put(again, calm());
    expect(versionsOf('app/db').map(({ value }) => value)).toEqual(['one', 'two']);
  });

  test('a foreign value is replaced and its version becomes the previous one', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    fake.seed('app/db', 'changed by hand');
    await driver.put(item('app/db', 'one', { claim: 'update', ...first }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('one');
    expect(fake.objects().get('app/db')?.tags['keyferry-mark']).toBe('0'.repeat(32));
  });

  test('a secret that vanished is created again', async () => {
    await driver.put(item('app/db', 'one', { claim: 'update', remoteVersion: 'a'.repeat(32) }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('one');
  });

  test('a secret that somebody deleted comes back', async () => {
    const first = await driver.put(item('app/db', 'one'), calm());
    fake.schedule('app/db');
    await driver.put(item('app/db', 'two', { claim: 'update', ...first }), calm());
    expect(fake.objects().get('app/db')?.value).toBe('two');
  });

  test('tags that are stale go, new ones come, and those of others stay', async () => {
    const tags = { ...item('', '').tags, team: 'blue', stage: 'test' };
    const first = await driver.put(item('app/db', 'one', { tags }), calm());
    fake.tag('app/db', { theirs: 'x' });
    const wanted = { ...item('', '').tags, team: 'red' };
    const change = item('app/db', 'one', {
      claim: 'update',
      tags: wanted,
      staleTags: ['stage', 'gone', 'team'],
      ...first,
    });
    await driver.put(change, calm());
    expect(fake.objects().get('app/db')?.tags).toEqual({ ...wanted, theirs: 'x' });
    await driver.put(change, calm());
    expect([fake.calls().get('TagResource'), fake.calls().get('UntagResource')]).toEqual([1, 1]);
  });
});

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
