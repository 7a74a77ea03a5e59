import { describe, expect, test } from 'vitest';
import type { PutItem } from '../../../lib/destinations/contract.ts';
import { definitions } from '../../../lib/destinations/index.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

const marked = definitions.filter(({ markless }) => markless !== true);
const unmarked = definitions.filter(({ markless }) => markless === true);

/** How much the sync knows of the object when it comes to it again. */
const knowledge = {
  'that the record vouches for': { asRecorded: true },
  'that is in doubt': { asRecorded: false },
  'whose version was never learnt': { asRecorded: false, remoteVersion: null },
} as const;

/** One of our objects, and then one of somebody else under its name. */
async function replaced(stand: Stand): Promise<PutItem> {
  const item = stand.item(stand.name(), 'the value of ours', { asRecorded: true });
  const { remoteVersion } = await stand.open().put(item, calm);
  stand.fake.seed(item.name, 'the value of somebody else');
  return { ...item, mode: 'update', remoteVersion };
}

describe.each(marked)('an object of $type in whose place somebody else has put one', (definition) => {
  const stand = standFor(definition);

  function expectForeign(name: string): void {
    expect(stand.object(name)?.value).toBe('the value of somebody else');
    expect(JSON.stringify(stand.object(name)?.tags)).not.toContain('keyferry');
  }

  describe.each(Object.entries(knowledge))('%s', (_how, known) => {
    test('is a conflict for a put, which changes nothing', async () => {
      const item = { ...(await replaced(stand)), ...known };
      const failure = await stand.failure(stand.open().put(item, calm), 'conflict');
      expect(failure).toMatchObject({ untouched: true, message: expect.stringContaining('adopt') });
      expectForeign(item.name);
    });

    test('stays at a removal, also after a put that met it', async () => {
      const item = { ...(await replaced(stand)), ...known };
      await stand.failure(stand.open().put(item, calm), 'conflict');
      await stand.open().remove(item, calm);
      expectForeign(item.name);
    });

    test('is taken over by a put that adopts', async () => {
      const item = { ...(await replaced(stand)), ...known, mode: 'adopt' as const };
      await stand.open().put(item, calm);
      expect(stand.object(item.name)?.value).toBe('the value of ours');
    });

    test('gives its name back once it is gone', async () => {
      const item = { ...(await replaced(stand)), ...known };
      const driver = stand.open();
      await stand.failure(driver.put(item, calm), 'conflict');
      const { remoteVersion } = await driver.put({ ...item, mode: 'adopt' }, calm);
      await driver.remove({ ...item, remoteVersion }, calm);
      await driver.put(item, calm);
      expect(stand.object(item.name)?.value).toBe('the value of ours');
    });
  });
});

describe.each(unmarked)('an object of $type, which shows nobody whose it is,', (definition) => {
  const stand = standFor(definition);

  test('is written over and removed though somebody else has put it there, as its page says', async () => {
    const item = await replaced(stand);
    const { remoteVersion } = await stand.open().put(item, calm);
    expect(stand.object(item.name)?.value).toBe('the value of ours');
    stand.fake.seed(item.name, 'the value of somebody else');
    await stand.open().remove({ ...item, remoteVersion }, calm);
    expect(stand.object(item.name)).toBeUndefined();
  });
});
