import { describe, expect, test } from 'vitest';
import type { PutItem } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { factsOf } from '../../support/facts.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

describe.each(definitions)('a put to $type with a certain record', (definition) => {
  const stand = standFor(definition);
  const marks = definition.markless !== true;

  test('makes as few calls as the system allows to create, to change and to remove', async () => {
    const driver = stand.open();
    await driver.put(stand.item(stand.name('warm'), 'the value that opens connections'), calm);
    const item = stand.item(stand.name(), 'the first value', { asRecorded: true });
    const created = await counted(stand, () => driver.put(item, calm));
    const change = next(stand, item, 'the second value', created.answer.remoteVersion);
    const changed = await counted(stand, () => driver.put(change, calm));
    // Some systems cannot order two versions of the same second, so the removal uses an object with one version.
    const { name, mark, value } = stand.item(stand.name(), 'the only value', { asRecorded: true });
    const { remoteVersion } = await driver.put(stand.item(name, value.reveal(), { mark, asRecorded: true }), calm);
    const removed = await counted(stand, () => driver.remove({ name, mark, remoteVersion, asRecorded: true }, calm));
    const calls = { create: created.calls, change: changed.calls, remove: removed.calls };
    const { 'first push': create, change: update, removal: remove } = factsOf(definition.type).calls['one object'];
    expect(calls).toEqual({ create, change: update, remove });
    expect(stand.object(name)).toBeUndefined();
  });

  test('leaves the value, the tags, and a version that a look finds again', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the first value', { asRecorded: true });
    const first = await driver.put(item, calm);
    expect(await stand.seen(driver, item.name, first.remoteVersion)).toEqual({
      isSame: true,
      mark: marks ? item.mark : null,
    });
    const second = await driver.put(next(stand, item, 'the second value', first.remoteVersion), calm);
    expect(await stand.seen(driver, item.name, second.remoteVersion)).toEqual({
      isSame: true,
      mark: marks ? item.mark : null,
    });
    expect(stand.object(item.name)).toEqual({ value: 'the second value', tags: item.tags });
  });

  test('does not overwrite a foreign object: conflict', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    const item = stand.item(name, 'the value of ours', { asRecorded: true });
    expect(await stand.failure(stand.open().put(item, calm), 'conflict')).toMatchObject({ untouched: true });
    expect(stand.object(name)?.value).toBe('the value of another client');
  });

  test('creates an object that has vanished', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that vanishes', { asRecorded: true });
    const { remoteVersion } = await driver.put(item, calm);
    await stand.open().remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    await driver.put(next(stand, item, 'the value that is back', remoteVersion), calm);
    expect(stand.object(item.name)).toEqual({ value: 'the value that is back', tags: item.tags });
  });

  test('overwrites a foreign change', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of ours', { asRecorded: true });
    const { remoteVersion } = await driver.put(item, calm);
    stand.fake.change(item.name, 'the value of another client');
    await driver.put(next(stand, item, 'the newer value of ours', remoteVersion), calm);
    expect(stand.object(item.name)?.value).toBe('the newer value of ours');
  });

  test('creates a removed object again with its first value', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that comes back', { asRecorded: true });
    const first = await driver.put(item, calm);
    const change = next(stand, item, 'the value between', first.remoteVersion);
    const { remoteVersion } = await driver.put(change, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion, asRecorded: true }, calm);
    await driver.put({ ...item, intent: 'another', intendedAt: new Date() }, calm);
    expect(stand.object(item.name)).toEqual({ value: 'the value that comes back', tags: item.tags });
  });

  test('has arrived when its answer is lost, and the next one, with an uncertain record, succeeds', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the first value', { asRecorded: true });
    const { remoteVersion } = await driver.put(item, calm);
    const change = next(stand, item, 'the second value', remoteVersion);
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    await stand.failure(driver.put(change, calm), 'network', 'timeout');
    expect(stand.object(item.name)?.value).toBe('the second value');
    const last = next(stand, item, 'the third value', remoteVersion);
    const receipt = await driver.put({ ...last, asRecorded: false }, calm);
    expect(stand.object(item.name)?.value).toBe('the third value');
    expect((await stand.seen(driver, item.name, receipt.remoteVersion)).isSame).toBe(true);
  });

  test('succeeds again when the worker died before it recorded the answer', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the first value', { asRecorded: true });
    const { remoteVersion } = await driver.put(item, calm);
    const change = next(stand, item, 'the second value', remoteVersion);
    await driver.put(change, calm);
    const receipt = await stand.open().put(change, calm);
    expect(stand.object(item.name)).toEqual({ value: 'the second value', tags: item.tags });
    expect((await stand.seen(driver, item.name, receipt.remoteVersion)).isSame).toBe(true);
  });
});

describe.each(definitions.filter(({ markless }) => markless !== true))(
  'a removal from $type with a certain record',
  (definition) => {
    const stand = standFor(definition);

    test('keeps a foreign object of the same name', async () => {
      const driver = stand.open();
      const item = stand.item(stand.name(), 'the value of ours', { asRecorded: true });
      const { remoteVersion } = await driver.put(item, calm);
      const removal = { name: item.name, mark: item.mark, remoteVersion };
      await stand.open().remove(removal, calm);
      stand.fake.seed(item.name, 'the value of another client');
      await driver.remove({ ...removal, asRecorded: true }, calm);
      expect(stand.object(item.name)?.value).toBe('the value of another client');
    });
  },
);

const next = (stand: Stand, { name, mark, intent }: PutItem, value: string, remoteVersion: string | null): PutItem =>
  stand.item(name, value, { mark, intent, mode: 'update', remoteVersion, asRecorded: true });

async function counted<T>(
  stand: Stand,
  verb: () => Promise<T>,
): Promise<{ readonly answer: T; readonly calls: number }> {
  const before = stand.calls();
  const answer = await verb();
  return { answer, calls: stand.calls() - before };
}
