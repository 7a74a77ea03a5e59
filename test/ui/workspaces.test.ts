import { describe, expect, test } from 'vitest';
import { queryOf } from '#ui/pages/workspaces/list/filter.ts';
import { appended } from '#ui/pages/workspaces/runs/text.ts';
import { differencesOf, resourcesOf } from '#ui/pages/workspaces/states/differences.ts';

describe('two states', () => {
  const resource = (name: string, count = 1, module = 'root', provider = 'p') => ({
    ...{ type: 'null_resource', name, module, provider, count },
  });

  test('differ by addresses, counts and providers', () => {
    const earlier = resourcesOf([resource('kept'), resource('grown'), resource('gone'), resource('moved')]) ?? [];
    const later =
      resourcesOf([
        resource('kept'),
        resource('grown', 3),
        resource('moved', 1, 'root', 'q'),
        resource('new', 1, 'module.m'),
      ]) ?? [];
    expect(differencesOf(earlier, later).map(({ address, change }) => [address, change])).toEqual([
      ['module.m.null_resource.new', 'added'],
      ['null_resource.gone', 'removed'],
      ['null_resource.grown', 'changed'],
      ['null_resource.moved', 'changed'],
    ]);
    expect(differencesOf(later, later)).toEqual([]);
  });

  test('cannot be compared before the server has read them', () => {
    expect(resourcesOf(undefined)).toBeUndefined();
    expect(resourcesOf(null)).toBeUndefined();
  });
});

describe('a log', () => {
  test('has no marks of terminals', () => {
    expect(appended('a', '\u0002\u001b[1mb\u001b[0m\r\nc\td\u0003')).toEqual({ text: 'ab\nc\td', isCut: false });
  });

  test('keeps its end, from the beginning of a line', () => {
    const line = `${'x'.repeat(99)}\n`;
    const { text, isCut } = appended(line.repeat(3_000), line.repeat(3_000));
    expect([isCut, text.length <= 400_000, text.startsWith('x'), text.endsWith(line)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(text.length % 100).toBe(0);
  });
});

test('a tag with a value is a pair, any other a flat tag', () => {
  expect(queryOf({ tag: 'prod', find: 'web' })).toEqual({ 'search[tags]': 'prod', 'search[name]': 'web' });
  expect(queryOf({ tag: 'team=a=b' })).toEqual({ 'filter[tagged][0][key]': 'team', 'filter[tagged][0][value]': 'a=b' });
});
