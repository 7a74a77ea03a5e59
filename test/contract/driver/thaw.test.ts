import { describe, expect, test } from 'vitest';
import type { Driver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { timedSignal } from '#sync/reconcile/attempt-budget.ts';
import { calm, newMark, type Stand, standFor } from '../support/stand.ts';

type Start = (driver: Driver, signal: AbortSignal) => Promise<unknown>;

/** A creation, an update and a removal, of which at least one needs several requests. */
async function verbsOn(stand: Stand, driver: Driver): Promise<readonly Start[]> {
  const put = async () => {
    const [name, mark] = [stand.name(), newMark()];
    return { name, mark, ...(await driver.put(stand.item(name, 'the value before', { mark }), calm)) };
  };
  const [updated, removed] = [await put(), await put()];
  return [
    (to, signal) => to.put(stand.item(stand.name(), 'the first value'), signal),
    (to, signal) => {
      const { name, ...changes } = updated;
      return to.put(stand.item(name, 'the newer value', { ...changes, mode: 'update' }), signal);
    },
    (to, signal) => to.remove(removed, signal),
  ];
}

describe.each(definitions)('$type', (definition) => {
  const stand = standFor(definition);

  /** Counts the requests of each verb. `signalAt` gives its signal, from the number of calls before it. */
  async function requests(signalAt: (before: number) => AbortSignal): Promise<readonly number[]> {
    const driver = stand.open();
    const made: number[] = [];
    for (const verb of await verbsOn(stand, driver)) {
      const before = stand.calls();
      await verb(driver, signalAt(before)).catch(() => {});
      made.push(stand.calls() - before);
    }
    return made;
  }

  test('begins no request after its deadline, even if no timer has run because the process was frozen', async () => {
    const reason = new Error('its time is over');
    const frozen = (before: number) => timedSignal(new AbortController(), () => stand.calls() > before, reason);
    expect(await requests(frozen)).toEqual([1, 1, 1]);
    const usual = await requests(() => calm);
    expect(Math.max(...usual)).toBeGreaterThan(1);
  });
});
