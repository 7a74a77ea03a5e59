import { describe, expect, test } from 'vitest';
import type { Verb } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import { compileTable } from '#path/table.ts';
import { quiet } from './rows.ts';

function row(pattern: string, ...verbs: Verb[]): Row {
  const operations = Object.fromEntries(verbs.map((verb) => [verb, quiet(`${verb} ${pattern}`)]));
  return { pattern, help: '', operations };
}

const table = compileTable([
  row('', 'read'),
  row('config', 'read', 'write'),
  row('roles/', 'list'),
  row('roles/:name', 'read', 'write'),
  row('users', 'read', 'list'),
  row('destinations/:type/:name', 'read', 'delete'),
  row('destinations/here/:name', 'write'),
  row('destinations/:type/:name/associations', 'read'),
  row('destinations/here/special', 'read'),
  row('data/*path', 'read', 'list', 'write'),
  row('data/fixed', 'read'),
]);

function found(path: string, verb: Verb): string | undefined {
  const match = table.find(path, verb);
  return (
    match && `${match.operation === undefined ? '405' : verb} ${match.row.pattern} ${JSON.stringify(match.parameters)}`
  );
}

describe('finding a row', () => {
  test.each<[string, Verb, string | undefined]>([
    ['', 'read', 'read  {}'],
    ['config', 'read', 'read config {}'],
    ['config/', 'read', undefined],
    ['config', 'delete', '405 config {}'],
    ['unknown', 'read', undefined],
    ['roles/a', 'read', 'read roles/:name {"name":"a"}'],
    ['roles/', 'list', 'list roles/ {}'],
    ['roles/', 'read', '405 roles/ {}'],
    ['roles', 'read', '405 roles/ {}'],
    ['roles/a/b', 'read', undefined],
    ['users/', 'list', 'list users {}'],
    ['users/', 'read', undefined],
    ['data/', 'list', 'list data/*path {"path":""}'],
    ['data/a/b', 'read', 'read data/*path {"path":"a/b"}'],
    ['data/a/', 'list', 'list data/*path {"path":"a/"}'],
    ['data/trailing.', 'read', 'read data/*path {"path":"trailing."}'],
    ['data', 'read', undefined],
    ['constructor', 'read', undefined],
    ['roles/__proto__', 'read', 'read roles/:name {"name":"__proto__"}'],
  ])('%j %s', (path, verb, expected) => {
    expect(found(path, verb)).toBe(expected);
  });

  test('a literal takes precedence over a name, and a name over a rest', () => {
    expect(found('data/fixed', 'read')).toBe('read data/fixed {}');
    expect(found('destinations/here/special', 'read')).toBe('read destinations/here/special {}');
  });

  test('a row without the verb yields to a more general one', () => {
    expect(found('data/fixed', 'write')).toBe('write data/*path {"path":"fixed"}');
    expect(found('destinations/here/a', 'write')).toBe('write destinations/here/:name {"name":"a"}');
    expect(found('destinations/here/a', 'read')).toBe('read destinations/:type/:name {"type":"here","name":"a"}');
    expect(found('destinations/here/special', 'delete')).toBe(
      'delete destinations/:type/:name {"type":"here","name":"special"}',
    );
    expect(found('destinations/here/a/associations', 'read')).toBe(
      'read destinations/:type/:name/associations {"type":"here","name":"a"}',
    );
    expect(found('destinations/here/special', 'list')).toBe('405 destinations/here/special {}');
  });

  test.each(['a.', '.a', '-a', 'a-', 'a b', 'ä', 'a.b.', ''])('the name %j does not follow the name rule', (name) => {
    expect(found(`roles/${name}`, 'write')).toBe(name === '' ? '405 roles/ {}' : undefined);
  });

  test.each(['a', 'a.b', 'a--b', 'A_9', '9'])('the name %j follows it', (name) => {
    expect(found(`roles/${name}`, 'read')).toContain('read roles/:name');
  });

  test('a path as deep as a request head allows is looked up quickly', () => {
    expect(found('a/'.repeat(8000), 'read')).toBeUndefined();
    expect(found(`roles/${'a.'.repeat(8000)}`, 'read')).toBeUndefined();
  });
});

describe('compiling', () => {
  test.each([
    ['the same pattern twice', [row('a', 'read'), row('a', 'read')], /match the same paths and both answer read/],
    ['parameters that differ in name only', [row('a/:x', 'read'), row('a/:y', 'read', 'write')], /both answer read/],
    ['two rests', [row('a/*x', 'list'), row('a/*y', 'list')], /both answer list/],
    ['a rest in the middle', [row('*x/a', 'read')], /must be the last segment/],
    ['an empty segment', [row('a//b', 'read')], /empty segment/],
    ['a leading slash', [row('/a', 'read')], /empty segment/],
    ['a duplicate parameter', [row(':a/:a', 'read')], /used twice/],
    ['a parameter without a name', [row('a/:', 'read')], /invalid parameter name/],
  ])('%s does not compile', (_name, rows, error) => {
    expect(() => compileTable(rows)).toThrow(error);
  });

  test('a path field that is missing in the pattern does not compile', () => {
    const read = operation({ other: pathText('Other') }, { summary: '', run: async () => undefined });
    expect(() => compileTable([{ pattern: 'a/:name', help: '', operations: { read } }])).toThrow(
      /field other comes from the path/,
    );
  });

  test('rows of the same shape are compatible when they have no verb in common', () => {
    const split = compileTable([row('a/:x', 'read'), row('a/:y', 'write')]);
    expect(split.find('a/1', 'write')).toMatchObject({ parameters: { y: '1' } });
    expect(split.find('a/1', 'read')).toMatchObject({ parameters: { x: '1' } });
  });
});
