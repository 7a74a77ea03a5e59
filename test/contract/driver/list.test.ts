import { describe, expect, test } from 'vitest';
import type {
  DestinationDefinition,
  Driver,
  FailureKind,
  Inspection,
  Listed,
  ListPage,
} from '#destinations/contract.ts';
import type { Fault } from '#destinations/fake.ts';
import { isSameVersion } from '#destinations/frame/rules/found.ts';
import { definitions } from '#destinations/index.ts';
import { leaksOf } from '../support/leaks.ts';
import { calm, standFor } from '../support/stand.ts';

/** More than any page has. */
const many = 120;
const pageMax = 100;

const faults: readonly { readonly fault: Fault['kind']; readonly kind: FailureKind }[] = [
  { fault: 'throttle', kind: 'throttled' },
  { fault: 'unavailable', kind: 'unavailable' },
  { fault: 'credentials', kind: 'credentials' },
  { fault: 'reset', kind: 'network' },
];

describe.each(definitions)('a list of $type', (definition) => {
  const stand = standFor(definition);

  test('is empty where no name has the prefix', async () => {
    stand.fake.seed(stand.name('another'), 'the value of another client');
    expect(await all(stand.open(), definition.names.normalise('Nothing/Begins/Like/This'))).toEqual([]);
  });

  test('shows of an object what a look shows, as far as its definition says', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name('listed'), 'the value that no list shows');
    const { remoteVersion } = await driver.put(item, calm);
    const [found] = await all(driver, item.name);
    const seen = await driver.inspect(item.name, calm);
    expect(shownOf(definition, found)).toEqual(shownOf(definition, seen));
    expect(definition.names.key(found?.name ?? '')).toBe(definition.names.key(item.name));
    if (definition.listing === 'versions')
      expect(isSameVersion(definition, remoteVersion, found?.remoteVersion ?? null)).toBe(true);
    else expect(found?.remoteVersion).toBeNull();
    if (definition.listing === 'times')
      expect(Math.abs((found?.changedAt?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(leaksOf(found, ['the value that no list shows'])).toEqual([]);
  });

  test('shows an object of another client without our mark', async () => {
    const name = stand.name('foreign');
    stand.fake.seed(name, 'the value of another client');
    expect(await all(stand.open(), name)).toMatchObject([{ name, mark: null }]);
  });

  test('has only names with the prefix, in whatever part of a name the system finds it', async () => {
    const [inside, outside] = [stand.name('inside'), definition.names.normalise(`Other/${stand.name('inside')}`)];
    for (const name of [inside, outside]) stand.fake.seed(name, 'the value of another client');
    expect((await all(stand.open(), inside)).map(({ name }) => name)).toEqual([inside]);
  });

  test('does not show an object that was removed', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name('removed'), 'the value that is removed');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    expect(await all(driver, item.name)).toEqual([]);
  });

  test.each(faults)('fails on $fault as $kind, and the next one succeeds', async ({ fault, kind }) => {
    const driver = stand.open();
    stand.fake.fail({ kind: fault });
    const failure = await stand.failure(pagesOf(driver, ''), kind);
    expect(failure.message).toMatch(/^cannot list the secrets: /);
    stand.fake.heal();
    expect(Array.isArray(await all(driver, ''))).toBe(true);
  });

  test('is unknown where it is not permitted', async () => {
    stand.fake.fail({ kind: 'denied' });
    expect(await stand.open().list?.({ prefix: '', after: null }, calm)).toBe('unknown');
  });

  test('goes on when the objects of the pages before are removed meanwhile', async () => {
    const driver = stand.open();
    const start = definition.names.normalise(`Shifting/${stand.name('')}`);
    const item = stand.item(`${start}FIRST`, 'the value that is removed');
    const { remoteVersion } = await driver.put(item, calm);
    for (let index = 0; index < many; index++) stand.fake.seed(`${start}${index}`, 'the value of another client');
    const [first, ...rest] = await pagesOf(driver, start, async () => {
      await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    });
    const names = [first, ...rest].flatMap((page) => page?.objects.map(({ name }) => name) ?? []);
    // An object may have moved out of a page that was not read yet.
    expect(new Set(names).size).toBeGreaterThanOrEqual(many - 1);
  });

  test('has every object once, on pages of bounded size, in one call a page', async () => {
    const start = definition.names.normalise(`Paged/${stand.name('')}`);
    const names = Array.from({ length: many }, (_, index) => `${start}${String(index).padStart(3, '0')}`);
    for (const name of names) stand.fake.seed(name, 'the value of another client');
    const driver = stand.open();
    await driver.inspect(stand.name(), calm);
    const before = stand.calls();
    const pages = await pagesOf(driver, start);
    expect(stand.calls() - before).toBe(pages.length);
    expect(pages.flatMap(({ objects }) => objects.map(({ name }) => name)).sort()).toEqual([...names].sort());
    if (!wholeLists.has(definition.type))
      for (const { objects } of pages) expect(objects.length).toBeLessThanOrEqual(pageMax);
  });
});

test.each(definitions)('$type says what its lists show', (definition) => {
  expect(definition.listing).toBeDefined();
});

/** Systems that give a list without pages. */
const wholeLists: ReadonlySet<string> = new Set(['workspace-vars']);

const pagesMax = 1_000;

async function pagesOf(driver: Driver, prefix: string, between = async () => {}): Promise<readonly ListPage[]> {
  const pages: ListPage[] = [];
  let after: string | null = null;
  do {
    const page: ListPage | 'unknown' | undefined = await driver.list?.({ prefix, after }, calm);
    if (page === undefined || page === 'unknown') throw new Error('the driver cannot list');
    pages.push(page);
    after = page.after;
    if (pages.length === 1) await between();
  } while (after !== null && pages.length < pagesMax);
  return pages;
}

const all = async (driver: Driver, prefix: string): Promise<readonly Listed[]> =>
  (await pagesOf(driver, prefix)).flatMap(({ objects }) => objects);

/** The common members of a look and a list. */
function shownOf({ listing }: DestinationDefinition, seen: Inspection | undefined | 'unknown') {
  if (typeof seen !== 'object') return seen;
  const { mark, tags, remoteVersion, differs = false } = seen;
  return { mark, tags, differs, ...(listing === 'versions' && { remoteVersion }) };
}
