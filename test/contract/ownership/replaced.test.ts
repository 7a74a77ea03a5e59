import { describe, expect, test } from 'vitest';
import type { PutItem } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

const marked = definitions.filter(({ markless }) => markless !== true);
const unmarked = definitions.filter(({ markless }) => markless === true);

/** What the record says about the object when the sync returns to it. */
const knowledge = {
  'with a certain record': { asRecorded: true },
  'with an uncertain record': { asRecorded: false },
  'with no recorded version': { asRecorded: false, remoteVersion: null },
} as const;

/** Writes one of our objects, and replaces it by a foreign one. */
async function replaced(stand: Stand): Promise<PutItem> {
  const item = stand.item(stand.name(), 'the value of ours', { asRecorded: true });
  const { remoteVersion } = await stand.open().put(item, calm);
  stand.fake.seed(item.name, 'the value of another client');
  return { ...item, mode: 'update', remoteVersion };
}

describe.each(marked)('an object of $type that a foreign one has replaced', (definition) => {
  const stand = standFor(definition);

  function expectForeign(name: string): void {
    expect(stand.object(name)?.value).toBe('the value of another client');
    expect(JSON.stringify(stand.object(name)?.tags)).not.toContain('keyferry');
  }

  describe.each(Object.entries(knowledge))('%s', (_how, known) => {
    test('makes a put fail as conflict without changes', async () => {
      const item = { ...(await replaced(stand)), ...known };
      const failure = await stand.failure(stand.open().put(item, calm), 'conflict');
      expect(failure).toMatchObject({ untouched: true, message: expect.stringContaining('adopt') });
      expectForeign(item.name);
    });

    test('survives a removal, even after a put that met it', async () => {
      const item = { ...(await replaced(stand)), ...known };
      await stand.failure(stand.open().put(item, calm), 'conflict');
      await stand.open().remove(item, calm);
      expectForeign(item.name);
    });

    test('is taken over by an adopting put', async () => {
      const item = { ...(await replaced(stand)), ...known, mode: 'adopt' as const };
      await stand.open().put(item, calm);
      expect(stand.object(item.name)?.value).toBe('the value of ours');
    });

    test('frees its name when it is removed', async () => {
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

describe.each(unmarked)('an object of $type, which stores no marks,', (definition) => {
  const stand = standFor(definition);

  test('is overwritten and removed even if it is foreign, as documented', async () => {
    const item = await replaced(stand);
    const { remoteVersion } = await stand.open().put(item, calm);
    expect(stand.object(item.name)?.value).toBe('the value of ours');
    stand.fake.seed(item.name, 'the value of another client');
    await stand.open().remove({ ...item, remoteVersion }, calm);
    expect(stand.object(item.name)).toBeUndefined();
  });
});
