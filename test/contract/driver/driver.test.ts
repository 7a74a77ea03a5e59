import { describe, expect, test } from 'vitest';
import type { Driver, PutItem, PutOutcome } from '#destinations/contract.ts';
import { DestinationFailure } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { calm, standFor } from '../support/stand.ts';

const concurrentPuts = 20;

describe.each(definitions)('the driver of $type', (definition) => {
  const stand = standFor(definition);
  const marks = definition.markless !== true;

  test('makes no call when it is opened, and may be closed twice', async () => {
    const before = stand.calls();
    const driver = stand.open();
    await driver.close();
    await driver.close();
    expect(stand.calls()).toBe(before);
  });

  test('creates an object', async () => {
    const name = stand.name();
    await stand.open().put(stand.item(name, 'the value of a new object'), calm);
    expect(stand.object(name)).toMatchObject({ value: 'the value of a new object' });
  });

  test('changes the value of an object that it wrote', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the first value');
    const { remoteVersion } = await driver.put(item, calm);
    const changed = stand.item(item.name, 'the second value', { mark: item.mark, mode: 'update', remoteVersion });
    await driver.put(changed, calm);
    expect(stand.object(item.name)).toMatchObject({ value: 'the second value' });
  });

  test('may put the same item twice', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that is put twice');
    await driver.put(item, calm);
    await driver.put(item, calm);
    expect(stand.object(item.name)).toMatchObject({ value: 'the value that is put twice' });
  });

  test('may remove the same object twice', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that is removed');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    expect(stand.object(item.name)).toBeUndefined();
  });

  test('succeeds in removing an object that never existed', async () => {
    const removal = { name: stand.name(), mark: 'f'.repeat(32), remoteVersion: null };
    await expect(stand.open().remove(removal, calm)).resolves.toBeUndefined();
  });

  test('creates a removed object again', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value before the removal');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    await driver.put(stand.item(item.name, 'the value after the removal', { mark: item.mark }), calm);
    expect(stand.object(item.name)).toMatchObject({ value: 'the value after the removal' });
  });

  test('sees no object where none exists', async () => {
    expect(await stand.open().inspect(stand.name(), calm)).toBeUndefined();
  });

  test('sees the version of its last put, and its mark and tags where the system stores them', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that is looked at');
    const { remoteVersion } = await driver.put(item, calm);
    const found = await driver.inspect(item.name, calm);
    expect(await stand.seen(driver, item.name, remoteVersion)).toEqual({
      isSame: true,
      mark: marks ? item.mark : null,
    });
    if (definition.tags !== undefined) expect(found).toMatchObject({ tags: item.tags });
  });

  test('sees that another client changed its object', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of ours');
    await driver.put(item, calm);
    const ours = await driver.inspect(item.name, calm);
    stand.fake.change(item.name, 'the value of another client');
    expect(await driver.inspect(item.name, calm)).not.toEqual(ours);
  });

  test('treats two names as one object exactly where the name rule does', async () => {
    const driver = stand.open();
    const name = stand.name('CaseOfLetters');
    const other = swapCase(name);
    await driver.put(stand.item(name, 'the value under one name'), calm);
    const same = definition.names.key(name) === definition.names.key(other);
    expect((await driver.inspect(other, calm)) !== undefined).toBe(same);
  });

  test(`keeps ${concurrentPuts} concurrent puts apart`, async () => {
    const driver = stand.open();
    const items = Array.from({ length: concurrentPuts }, (_, index) =>
      stand.item(stand.name(), `the value of concurrent put ${index}`),
    );
    const receipts = await Promise.all(items.map((item) => driver.put(item, calm)));
    expect(items.map(({ name }) => stand.object(name)?.value)).toEqual(items.map(({ value }) => value.reveal()));
    const seen = await Promise.all(
      items.map(({ name }, index) => stand.seen(driver, name, receipts[index]?.remoteVersion ?? null)),
    );
    expect(seen.map(({ isSame }) => isSame)).toEqual(items.map(() => true));
  });

  test('returns the outcomes of several puts in order, and one failure does not affect the others', async () => {
    const tooLarge = 'v'.repeat(definition.valueBytesMax + 1);
    const items = ['the value of the first put', tooLarge, 'the value of the last put'].map((value) =>
      stand.item(stand.name(), value),
    );
    const outcomes = await putAll(stand.open(), items);
    expect(outcomes.map((outcome) => (outcome.ok ? 'done' : outcome.failure.kind))).toEqual([
      'done',
      'too-large',
      'done',
    ]);
    expect(items.map(({ name }) => stand.object(name)?.value)).toEqual([
      'the value of the first put',
      undefined,
      'the value of the last put',
    ]);
  });

  test('refuses a name that the system does not allow, without writing it', async () => {
    const { lengthMax, normalise } = definition.names;
    const name = normalise('n'.repeat(lengthMax + 1));
    await stand.failure(stand.open().put(stand.item(name, 'the value under a long name'), calm), 'name');
    expect(stand.object(name)).toBeUndefined();
  });
});

const swapCase = (text: string): string =>
  [...text].map((letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase())).join('');

/** Puts all items in one call where the driver can, otherwise one by one. */
async function putAll(driver: Driver, items: readonly PutItem[]): Promise<readonly PutOutcome[]> {
  if (driver.putMany !== undefined) return driver.putMany(items, calm);
  const outcomes: PutOutcome[] = [];
  for (const item of items) outcomes.push(await driver.put(item, calm).then(done, failed));
  return outcomes;
}

const done = (receipt: { readonly remoteVersion: string | null }): PutOutcome => ({ ok: true, receipt });

function failed(failure: unknown): PutOutcome {
  if (failure instanceof DestinationFailure) return { ok: false, failure };
  throw failure;
}
