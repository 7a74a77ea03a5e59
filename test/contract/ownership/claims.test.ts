import { describe, expect, test } from 'vitest';
import type { PutItem } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { calm, newMark, standFor } from '../support/stand.ts';

const hourMs = 3_600_000;

describe.each(definitions)('a put to $type', (definition) => {
  const stand = standFor(definition);
  const marks = definition.markless !== true;

  /**
   * The first writing call of a put arrives, but its answer is lost. If the put needs several calls, the object then exists but may
   * not have its value yet.
   */
  async function putWithoutAnswer(item: PutItem): Promise<void> {
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    await stand.failure(stand.open().put(item, calm), 'network', 'timeout');
    expect(await stand.open().inspect(item.name, calm)).toBeDefined();
  }

  test('with mode create does not change a foreign object: conflict', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    const failure = await stand.failure(stand.open().put(stand.item(name, 'the value of ours'), calm), 'conflict');
    expect(failure.message).toContain(name);
    expect(stand.object(name)?.value).toBe('the value of another client');
  });

  // Without marks, the other association's object is recognised by being older than our intent.
  test('with mode create does not change an object of another association: conflict', async () => {
    const driver = stand.open();
    const name = stand.name();
    await driver.put(stand.item(name, 'the value of one association'), calm);
    const later = { intendedAt: new Date(Date.now() + hourMs) };
    await stand.failure(driver.put(stand.item(name, 'the value of another association', later), calm), 'conflict');
    expect(stand.object(name)?.value).toBe('the value of one association');
  });

  test('fails when its answer is lost, and the same put by a new process succeeds', async () => {
    const item = stand.item(stand.name(), 'the value whose receipt was lost');
    await putWithoutAnswer(item);
    const driver = stand.open();
    const { remoteVersion } = await driver.put(item, calm);
    const seen = await stand.seen(driver, item.name, remoteVersion);
    expect(seen).toEqual({ isSame: true, mark: marks ? item.mark : null });
    expect(stand.object(item.name)?.value).toBe('the value whose receipt was lost');
  });

  test('succeeds as a create with a newer value after its answer was lost', async () => {
    const item = stand.item(stand.name(), 'the value whose receipt was lost');
    await putWithoutAnswer(item);
    const { mark, intendedAt } = item;
    await stand.open().put(stand.item(item.name, 'the newer value', { mark, intendedAt }), calm);
    expect(stand.object(item.name)?.value).toBe('the newer value');
  });

  test('that updates has arrived when its answer is lost, and may be repeated', async () => {
    const item = stand.item(stand.name(), 'the first value');
    const { remoteVersion } = await stand.open().put(item, calm);
    const update = stand.item(item.name, 'the second value', { mark: item.mark, mode: 'update', remoteVersion });
    await putWithoutAnswer(update);
    expect(stand.object(item.name)?.value).toBe('the second value');
    await stand.open().put(update, calm);
    expect(stand.object(item.name)?.value).toBe('the second value');
  });

  test('that adopts takes over a foreign object', async () => {
    const driver = stand.open();
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    const item = stand.item(name, 'the value of ours', { mode: 'adopt' });
    const { remoteVersion } = await driver.put(item, calm);
    expect(stand.object(name)?.value).toBe('the value of ours');
    const seen = await stand.seen(driver, name, remoteVersion);
    expect(seen).toEqual({ isSame: true, mark: marks ? item.mark : null });
  });

  test('that adopts creates a missing object', async () => {
    const item = stand.item(stand.name(), 'the value of ours', { mode: 'adopt' });
    await stand.open().put(item, calm);
    expect(stand.object(item.name)?.value).toBe('the value of ours');
  });

  test('that updates creates an object that has vanished', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that vanishes');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    const again = stand.item(item.name, 'the value that is back', { mark: item.mark, mode: 'update', remoteVersion });
    await driver.put(again, calm);
    expect(stand.object(item.name)?.value).toBe('the value that is back');
  });

  test('that updates overwrites a foreign change with the same value', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of ours');
    const { remoteVersion } = await driver.put(item, calm);
    stand.fake.change(item.name, 'the value of another client');
    const again = stand.item(item.name, 'the value of ours', { mark: item.mark, mode: 'update', remoteVersion });
    await driver.put(again, calm);
    expect(stand.object(item.name)?.value).toBe('the value of ours');
  });

  test('creates the object after a removal whose answer was lost', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that is removed');
    const { remoteVersion } = await driver.put(item, calm);
    const removal = { name: item.name, mark: item.mark, remoteVersion };
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    await stand.failure(driver.remove(removal, calm), 'network', 'timeout');
    await driver.remove(removal, calm);
    expect(stand.object(item.name)).toBeUndefined();
    const mark = newMark();
    await driver.put(stand.item(item.name, 'the value of another association', { mark }), calm);
    expect(stand.object(item.name)?.value).toBe('the value of another association');
  });
});
