import { describe, expect, test } from 'vitest';
import type { TagRule } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';
import { calm, newMark, standFor } from '../support/stand.ts';

const tagged = definitions.flatMap(({ type, tags }) => (tags === undefined ? [] : [{ type, tags }]));
const untagged = definitions.filter(({ tags }) => tags === undefined);
const definitionOf = (type: string) => {
  const found = definitions.find((definition) => definition.type === type);
  if (found === undefined) throw new Error(`no type ${type}`);
  return found;
};

describe.each(tagged)('tags at $type', ({ type, tags }) => {
  const stand = standFor(definitionOf(type));
  const all = (custom: Readonly<Record<string, string>>, mark: string) => ({
    ...tags.normalise(custom),
    ...tags.builtIn(mark),
  });

  test('are set when the object is created', async () => {
    const mark = newMark();
    const wanted = all({ team: 'payments', cost: '12' }, mark);
    const item = stand.item(stand.name(), 'the value with tags', { mark, tags: wanted });
    await stand.open().put(item, calm);
    expect(stand.object(item.name)?.tags).toEqual(wanted);
  });

  test('may be as many as the rule allows', async () => {
    const mark = newMark();
    const wanted = all(manyTags(tags, mark), mark);
    expect(Object.keys(wanted)).toHaveLength(tags.countMax);
    const item = stand.item(stand.name(), 'the value with many tags', { mark, tags: wanted });
    await stand.open().put(item, calm);
    expect(stand.object(item.name)?.tags).toEqual(wanted);
  });

  test('are added, changed and removed by an update', async () => {
    const driver = stand.open();
    const mark = newMark();
    const first = all({ kept: 'same', changed: 'before', stale: 'gone soon' }, mark);
    const item = stand.item(stand.name(), 'the value with tags', { mark, tags: first });
    const { remoteVersion } = await driver.put(item, calm);
    const second = all({ kept: 'same', changed: 'after', added: 'new' }, mark);
    const staleTags = Object.keys(first).filter((key) => second[key] === undefined);
    const next = { mark, mode: 'update' as const, tags: second, staleTags, remoteVersion };
    await driver.put(stand.item(item.name, 'the value with tags', next), calm);
    expect(stand.object(item.name)?.tags).toEqual(second);
  });

  test('may be put twice, including stale ones', async () => {
    const driver = stand.open();
    const mark = newMark();
    const name = stand.name();
    const staleKeys = Object.keys(tags.normalise({ stale: 'x' }));
    const wanted = all({ kept: 'same' }, mark);
    await driver.put(stand.item(name, 'the value with tags', { mark, tags: all({ stale: 'x' }, mark) }), calm);
    const update = stand.item(name, 'the value with tags', {
      mark,
      mode: 'update',
      tags: wanted,
      staleTags: staleKeys,
    });
    await driver.put(update, calm);
    await driver.put(update, calm);
    expect(stand.object(name)?.tags).toEqual(wanted);
  });

  // The creation is repeated as a creation, because its success is unknown.
  test('that became stale while the answer to the creation was lost are removed', async () => {
    const driver = stand.open();
    const mark = newMark();
    const first = all({ stale: 'gone soon' }, mark);
    const item = stand.item(stand.name(), 'the value with tags', { mark, tags: first });
    await driver.put(item, calm);
    const wanted = all({}, mark);
    const staleTags = Object.keys(first).filter((key) => wanted[key] === undefined);
    await driver.put(stand.item(item.name, 'the value with tags', { mark, tags: wanted, staleTags }), calm);
    expect(stand.object(item.name)?.tags).toEqual(wanted);
  });

  test('are set, including our mark, when the object is adopted', async () => {
    const driver = stand.open();
    const mark = newMark();
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    const wanted = all({ team: 'payments' }, mark);
    await driver.put(stand.item(name, 'the value of ours', { mark, mode: 'adopt', tags: wanted }), calm);
    expect(stand.object(name)?.tags).toMatchObject(wanted);
  });
});

describe.each(untagged)('$type, a system without tags', (definition) => {
  const stand = standFor(definition);

  test('gets none', async () => {
    const item = stand.item(stand.name(), 'the value without tags');
    await stand.open().put(item, calm);
    expect(stand.object(item.name)?.tags).toEqual({});
  });
});

/** The most custom tags that the built-in ones leave room for. */
function manyTags({ countMax, builtIn }: TagRule, mark: string): Readonly<Record<string, string>> {
  const tagsMax = countMax - Object.keys(builtIn(mark)).length;
  return Object.fromEntries(Array.from({ length: tagsMax }, (_, index) => [`tag${index}`, `value ${index}`]));
}
