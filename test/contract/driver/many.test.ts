import { describe, expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import type { DestinationDefinition, Driver } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import type { Written } from '#sync/model/written.ts';
import { removeAll } from '#sync/reconcile/act.ts';
import { AttemptBudget } from '#sync/reconcile/attempt-budget.ts';
import { factsOf } from '../../support/facts.ts';
import { patience } from '../../support/measures/patience.ts';
import { calm, newMark, type Stand, standFor } from '../support/stand.ts';

const count = 30;
/** The smallest page size of a provider. */
const pageSize = 25;

describe.each(definitions)('an attempt that removes many objects from $type', (definition) => {
  const stand = standFor(definition);

  test('makes the documented number of calls for each, and reads a list at most once', async () => {
    const driver = stand.open();
    const objects = await written(stand, driver, definition);
    const perObject = Math.floor(factsOf(definition.type).calls['ten keys'].removal / 10);
    const before = stand.calls();
    const spent = await removeMany(definition, driver, objects);
    const calls = stand.calls() - before;
    expect(objects.filter(({ name }) => stand.object(name) !== undefined)).toEqual([]);
    expect(perObject).toBeLessThanOrEqual(2);
    expect(calls).toBeLessThanOrEqual(count * perObject + Math.ceil(count / pageSize) + 1);
    expect(spent).toBeGreaterThanOrEqual(count);
  });
});

describe.each(definitions.filter(({ markless }) => markless !== true))('of many objects of $type', (definition) => {
  const stand = standFor(definition);

  test('those that others have replaced are kept', async () => {
    const driver = stand.open();
    const objects = await written(stand, driver, definition);
    const replaced = tenthOf(objects);
    for (const { name } of replaced) stand.fake.seed(name, 'the value of another client');
    await removeMany(definition, driver, objects);
    expect(objects.filter(({ name }) => stand.object(name) !== undefined)).toEqual(replaced);
  });
});

// Without tags, the recorded id shows whose object it is.
describe.each(definitions.filter(({ tags }) => tags !== undefined))('of many tagged objects of $type', (definition) => {
  const stand = standFor(definition);

  test('those that another installation has adopted are kept', async () => {
    const driver = stand.open();
    const objects = await written(stand, driver, definition);
    const adopted = tenthOf(objects);
    for (const { name } of adopted)
      await driver.put(stand.item(name, 'the value of another installation', { mode: 'adopt' }), calm);
    await removeMany(definition, driver, objects);
    expect(objects.filter(({ name }) => stand.object(name) !== undefined)).toEqual(adopted);
  });
});

const tenthOf = (objects: readonly Written[]) => objects.filter((_, index) => index % 10 === 0);

async function removeMany(
  definition: DestinationDefinition,
  driver: Driver,
  objects: readonly Written[],
): Promise<number> {
  const ms = patience.conditionMs;
  const budget = new AttemptBudget({ operationMs: ms, callsMs: ms, widthMax: 4, signal: calm, clock: systemClock });
  const results = await removeAll({ definition, driver, budget, recheck: false }, objects);
  budget.end();
  expect(results.map(({ kind }) => kind)).toEqual(objects.map(() => 'removed'));
  return budget.calls;
}

async function written(stand: Stand, driver: Driver, { names }: DestinationDefinition): Promise<readonly Written[]> {
  const objects: Written[] = [];
  for (let index = 0; index < count; index++) {
    const [name, mark, intendedAt] = [stand.name(`many-${index}`), newMark(), new Date()];
    const item = stand.item(name, `the value of ${name}`, { mark, intendedAt, asRecorded: true });
    const { remoteVersion } = await driver.put(item, calm);
    const record = { subKey: '', name, nameKey: names.key(name), mark, intendedAt, remoteVersion, tagKeys: [] };
    objects.push({ ...record, written: true, seenMsAgo: null, fingerprint: Buffer.alloc(32), removal: 'none' });
  }
  return objects;
}
