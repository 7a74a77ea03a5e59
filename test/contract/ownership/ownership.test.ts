import { describe, expect, test } from 'vitest';
import { definitions } from '../../../lib/destinations/index.ts';
import { calm, newMark, standFor } from '../support/stand.ts';

const marked = definitions.filter(({ markless }) => markless !== true);
const unmarked = definitions.filter(({ markless }) => markless === true);

describe.each(marked)('a removal from $type', (definition) => {
  const stand = standFor(definition);

  test('leaves an object of somebody else alone, and is done', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of somebody else');
    await stand.open().remove({ name, mark: newMark(), remoteVersion: null }, calm);
    expect(stand.object(name)?.value).toBe('the value of somebody else');
  });

  test('leaves an object of another association alone, and is done', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of another association');
    await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: newMark(), remoteVersion: null }, calm);
    expect(stand.object(item.name)?.value).toBe('the value of another association');
  });

  test('that comes late leaves alone what somebody else has made under the name since', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of ours');
    const { remoteVersion } = await driver.put(item, calm);
    const removal = { name: item.name, mark: item.mark, remoteVersion };
    await driver.remove(removal, calm);
    stand.fake.seed(item.name, 'the value of somebody else');
    await driver.remove(removal, calm);
    expect(stand.object(item.name)?.value).toBe('the value of somebody else');
  });

  test('removes what we wrote and have no receipt of', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value whose receipt was lost');
    await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion: null }, calm);
    expect(stand.object(item.name)).toBeUndefined();
  });
});

describe.each(unmarked)('a removal from $type, which keeps no marks', (definition) => {
  const stand = standFor(definition);

  test('removes what has the name: that it is ours, the record says', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value that nobody has marked');
    await stand.open().remove({ name, mark: newMark(), remoteVersion: null }, calm);
    expect(stand.object(name)).toBeUndefined();
  });
});
