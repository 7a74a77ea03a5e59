import { afterEach, expect, test } from 'vitest';
import type { Driver } from '#destinations/contract.ts';
import { callFake, item, markA, markB, never, type Setting, start } from './setup.ts';

const names = Array.from({ length: 10 }, (_, index) => `keyferry-many-${index}`);
const first = names[0] ?? '';

let setting: Setting;
afterEach(() => setting.close());

async function putAll(driver: Driver): Promise<void> {
  for (const name of names) await driver.put(item({ name }), never);
}

const counted = (operation: string): number => setting.fake.calls().get(operation) ?? 0;

test('a survey finds the marks, ignoring the case of names, and reads one page', async () => {
  setting = await start();
  await putAll(setting.driver);
  const asked = [first.toUpperCase(), ...names.slice(1), 'keyferry-none'];
  const seen = await setting.driver.survey?.(asked, never);
  expect([...(seen?.found.keys() ?? [])].sort()).toEqual(asked.slice(0, -1).sort());
  expect([...(seen?.found.values() ?? [])].map(({ mark }) => mark)).toEqual(names.map(() => markA));
  expect(seen?.calls).toBe(1);
});

test('a survey of ten secrets ends after two pages in a vault full of foreign secrets', async () => {
  setting = await start();
  for (let index = 0; index < 100; index++) setting.fake.seed(`other-${index}`, 'theirs');
  await putAll(setting.driver);
  const seen = await setting.driver.survey?.(names, never);
  expect(seen).toEqual({ found: new Map(), calls: 2 });
  expect(counted('list')).toBe(2);
});

test('a secret that a survey shows to be ours is deleted in one call', async () => {
  setting = await start();
  await putAll(setting.driver);
  const seen = await setting.driver.survey?.(names, never);
  const before = [...setting.fake.calls().values()].reduce((sum, count) => sum + count, 0);
  for (const name of names) {
    await setting.driver.remove(
      { name, mark: markA, remoteVersion: null, many: true, seen: seen?.found.get(name) },
      never,
    );
  }
  const after = [...setting.fake.calls().values()].reduce((sum, count) => sum + count, 0);
  expect(after - before).toBe(names.length);
  expect(setting.fake.objects().size).toBe(0);
});

test('a secret that another installation adopts after the survey is recovered', async () => {
  setting = await start();
  const { driver, fake } = setting;
  await putAll(driver);
  const seen = await driver.survey?.(names, never);
  await driver.put(item({ name: first, value: 'theirs', mark: markB, mode: 'adopt' }), never);
  await driver.remove(
    { name: first, mark: markA, remoteVersion: null, many: true, seen: seen?.found.get(first) },
    never,
  );
  for (let tries = 0; tries < 5 && !fake.objects().has(first); tries++)
    await callFake(fake, 'GET', `/secrets/${first}`);
  expect(fake.objects().get(first)?.value).toBe('theirs');
});

test('a secret that a survey shows to be foreign is looked at and kept', async () => {
  setting = await start();
  const { driver, fake } = setting;
  await driver.put(item({ name: first, mark: markB }), never);
  const seen = await driver.survey?.([first], never);
  await driver.remove(
    { name: first, mark: markA, remoteVersion: null, many: true, seen: seen?.found.get(first) },
    never,
  );
  expect(fake.objects().has(first)).toBe(true);
  expect(counted('delete')).toBe(0);
});

test('a secret that a survey shows without tags is looked at and recognised by its version', async () => {
  setting = await start();
  const { driver, fake } = setting;
  const { remoteVersion } = await driver.put(item({ name: first }), never);
  await callFake(fake, 'PATCH', `/secrets/${first}/${remoteVersion}`, { tags: {} });
  const seen = await driver.survey?.([first], never);
  expect(seen?.found.get(first)?.mark).toBeNull();
  await driver.remove({ name: first, mark: markA, remoteVersion, many: true, seen: seen?.found.get(first) }, never);
  expect(fake.objects().size).toBe(0);
});
