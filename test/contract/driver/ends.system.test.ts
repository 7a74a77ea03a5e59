import { describe, expect, test } from 'vitest';
import type { Driver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { failing } from '../support/checked.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

/** Short, because a test waits for it. */
const briefMs = 300;
/** Long enough for a call that gets an answer. */
const requestMs = 4_000;
/** Longer than a test may take, so that a call can only end for another reason. */
const endlessMs = 600_000;

type Start = (driver: Driver, stand: Stand, signal: AbortSignal) => Promise<unknown>;

const verbs: Readonly<Record<string, Start>> = {
  put: (driver, stand, signal) => driver.put(stand.item(stand.name(), 'the value that never arrives'), signal),
  removal: (driver, stand, signal) =>
    driver.remove({ name: stand.name(), mark: 'f'.repeat(32), remoteVersion: null }, signal),
  list: (driver, _stand, signal) => Promise.resolve(driver.list?.({ prefix: '', after: null }, signal)),
  look: (driver, stand, signal) => driver.inspect(stand.name(), signal),
  check: (driver, stand, signal) => failing(driver.check(stand.name(), signal)),
};

describe.each(definitions)('$type', (definition) => {
  const stand = standFor(definition);

  describe.each(Object.entries(verbs))('whose answer to a %s does not come', (_verb, start) => {
    test('fails it as timeout at the deadline of one request', async () => {
      const controller = new AbortController();
      stand.fake.fail({ kind: 'hang' });
      const brief = stand.failure(start(stand.open({ requestMs: briefMs }), stand, calm), 'timeout');
      const endless = stand.failure(start(stand.open({ requestMs: endlessMs }), stand, controller.signal), 'timeout');
      const first = await Promise.race([brief.then(() => 'brief'), endless.then(() => 'endless')]);
      expect(first).toBe('brief');
      controller.abort();
      await endless;
    });

    test('ends it at once when its signal aborts', async () => {
      const [driver, other] = [stand.open({ requestMs: endlessMs }), stand.open()];
      await other.inspect(stand.name(), calm);
      const controller = new AbortController();
      const before = stand.calls();
      stand.fake.fail({ kind: 'hang' });
      const verb = stand.failure(start(driver, stand, controller.signal), 'timeout');
      await expect.poll(() => stand.calls()).toBeGreaterThan(before);
      controller.abort();
      stand.fake.heal();
      const roundTrip = other.inspect(stand.name(), calm);
      const first = await Promise.race([verb.then(() => 'the verb'), roundTrip.then(() => 'a later round trip')]);
      expect(first).toBe('the verb');
      await roundTrip;
    });
  });

  test.each(Object.entries(verbs))('gets no call from a %s with an aborted signal', async (_verb, start) => {
    const before = stand.calls();
    await stand.failure(start(stand.open(), stand, AbortSignal.abort()), 'timeout');
    expect(stand.calls()).toBe(before);
  });

  test('serves the others when one of several concurrent puts is aborted', async () => {
    const driver = stand.open();
    const controller = new AbortController();
    const items = ['one', 'two', 'three', 'four'].map((which) =>
      stand.item(stand.name(which), `the value of put ${which}`),
    );
    const others = items.slice(1).map((item) => driver.put(item, calm));
    const aborted = items.slice(0, 1).map((item) => driver.put(item, controller.signal));
    controller.abort();
    await Promise.allSettled(aborted);
    await Promise.all(others);
    expect(items.slice(1).map(({ name }) => stand.object(name)?.value)).toEqual(
      items.slice(1).map(({ value }) => value.reveal()),
    );
  });

  test('works again for the same driver after a call without an answer', async () => {
    const driver = stand.open({ requestMs });
    const item = stand.item(stand.name(), 'the value that arrives in the end');
    stand.fake.fail({ kind: 'hang' });
    await stand.failure(driver.put(item, calm), 'timeout');
    stand.fake.heal();
    await driver.put(item, calm);
    expect(stand.object(item.name)?.value).toBe('the value that arrives in the end');
  });
});
