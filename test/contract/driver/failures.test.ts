import { describe, expect, test } from 'vitest';
import type { Driver, FailureKind } from '#destinations/contract.ts';
import type { Fault } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

interface Case {
  readonly fault: Fault['kind'];
  readonly kind: FailureKind;
}

const cases: readonly Case[] = [
  { fault: 'throttle', kind: 'throttled' },
  { fault: 'unavailable', kind: 'unavailable' },
  { fault: 'denied', kind: 'permission' },
  { fault: 'credentials', kind: 'credentials' },
  { fault: 'reset', kind: 'network' },
];

/** A look that is not permitted is an answer and not a failure. */
const looks = cases.filter(({ fault }) => fault !== 'denied');

/** A driver that has its connections and tokens, and one that must create them first. */
const ages = {
  'a used driver': async (stand: Stand) => {
    const driver = stand.open();
    await driver.put(stand.item(stand.name('earlier'), 'the value of an earlier put'), calm);
    return driver;
  },
  'a new driver': async (stand: Stand) => stand.open(),
};

describe.each(definitions)('a failing $type', (definition) => {
  const stand = standFor(definition);

  /** One of our objects, for a look and a removal. */
  async function written() {
    const item = stand.item(stand.name(), 'the earlier value');
    const { remoteVersion } = await stand.open().put(item, calm);
    return { name: item.name, mark: item.mark, remoteVersion };
  }

  describe.each(Object.entries(ages))('met by %s', (_age, open: (stand: Stand) => Promise<Driver>) => {
    test.each(cases)('fails a put on $fault as $kind, and the next put succeeds', async ({ fault, kind }) => {
      const driver = await open(stand);
      const item = stand.item(stand.name(), 'the value that is not written at first');
      stand.fake.fail({ kind: fault });
      await stand.failure(driver.put(item, calm), kind);
      expect(stand.object(item.name)).toBeUndefined();
      stand.fake.heal();
      await driver.put(item, calm);
      expect(stand.object(item.name)?.value).toBe('the value that is not written at first');
    });

    test.each(cases)('fails a removal on $fault as $kind, and the next removal succeeds', async (one) => {
      const object = await written();
      const driver = await open(stand);
      stand.fake.fail({ kind: one.fault });
      await stand.failure(driver.remove(object, calm), one.kind);
      expect(stand.object(object.name)).toBeDefined();
      stand.fake.heal();
      await driver.remove(object, calm);
      expect(stand.object(object.name)).toBeUndefined();
    });

    test.each(looks)('fails a look on $fault as $kind, and the next look sees the object', async ({ fault, kind }) => {
      const { name } = await written();
      const driver = await open(stand);
      stand.fake.fail({ kind: fault });
      await stand.failure(driver.inspect(name, calm), kind);
      stand.fake.heal();
      expect(await driver.inspect(name, calm)).toMatchObject({ remoteVersion: expect.anything() });
    });

    test('answers a look that is not permitted with unknown', async () => {
      const { name } = await written();
      const driver = await open(stand);
      stand.fake.fail({ kind: 'denied' });
      expect(await driver.inspect(name, calm)).toBe('unknown');
    });
  });

  test('reports the wait that the system asks for', async () => {
    stand.fake.fail({ kind: 'throttle', retryAfterSeconds: 7 });
    const put = stand.open().put(stand.item(stand.name(), 'the value that has to wait'), calm);
    const { retryAfterMs } = await stand.failure(put, 'throttled');
    expect(retryAfterMs).toBe(7000);
  });

  // The sync does the retries, which it counts and delays.
  test.each(['throttle', 'unavailable', 'reset'] as const)('gets one call for a put that meets %s', async (fault) => {
    const driver = stand.open();
    await driver.put(stand.item(stand.name('earlier'), 'the value of an earlier put'), calm);
    const before = stand.calls();
    stand.fake.fail({ kind: fault });
    const put = driver.put(stand.item(stand.name(), 'the value of one attempt', { mode: 'adopt' }), calm);
    await put.catch(() => undefined);
    expect(stand.calls() - before).toBe(1);
  });
});
