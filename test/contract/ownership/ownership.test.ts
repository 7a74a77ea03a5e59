import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { calm, newMark, standFor } from '../support/stand.ts';

const marked = definitions.filter(({ markless }) => markless !== true);
const unmarked = definitions.filter(({ markless }) => markless === true);

describe.each(marked)('a removal from $type', (definition) => {
  const stand = standFor(definition);

  test('keeps a foreign object, and succeeds', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    await stand.open().remove({ name, mark: newMark(), remoteVersion: null }, calm);
    expect(stand.object(name)?.value).toBe('the value of another client');
  });

  test('keeps an object of another association, and succeeds', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of another association');
    await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: newMark(), remoteVersion: null }, calm);
    expect(stand.object(item.name)?.value).toBe('the value of another association');
  });

  test('that is repeated keeps a foreign object that was created since', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of ours');
    const { remoteVersion } = await driver.put(item, calm);
    const removal = { name: item.name, mark: item.mark, remoteVersion };
    await driver.remove(removal, calm);
    stand.fake.seed(item.name, 'the value of another client');
    await driver.remove(removal, calm);
    expect(stand.object(item.name)?.value).toBe('the value of another client');
  });

  test('removes our object without a receipt', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value whose receipt was lost');
    await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion: null }, calm);
    expect(stand.object(item.name)).toBeUndefined();
  });
});

describe.each(unmarked)('a removal from $type, which stores no marks', (definition) => {
  const stand = standFor(definition);

  test('removes any object of the name, because only the record shows that it is ours', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value without a mark');
    await stand.open().remove({ name, mark: newMark(), remoteVersion: null }, calm);
    expect(stand.object(name)).toBeUndefined();
  });
});
