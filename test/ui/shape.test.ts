import { describe, expect, test } from 'vitest';
import { asTyped, asValue, groupsOf, sentOf } from '#ui/form/shape.ts';

const described = {
  groups: [
    { name: 'target', label: 'Target' },
    { name: 'credentials', label: 'Credentials' },
    { name: 'empty', label: 'Empty' },
  ],
  fields: [
    { name: 'region', label: 'Region', description: 'Region', group: 'target', type: 'string', required: true },
    { name: 'ports', label: 'Ports', description: '', group: 'target', type: 'array of integer', default: [] },
    { name: 'tags', label: 'Tags', description: '', group: 'target', type: 'object' },
    { name: 'adopt', label: 'Adopt', description: '', group: 'target', type: 'boolean', default: false },
    { name: 'key', label: 'Key', description: '', group: 'credentials', type: 'string', sensitive: true },
  ],
};
const groups = groupsOf(described);

test('a described type gives its groups that have fields, in their order', () => {
  expect(groups.map(({ label, fields }) => [label, fields.length])).toEqual([
    ['Target', 4],
    ['Credentials', 1],
  ]);
});

describe('what was typed', () => {
  test.each([
    ['string', 'a b', 'a b'],
    ['boolean', 'true', true],
    ['integer', ' 12 ', 12],
    ['array of string', 'a\n b, c\n', ['a', 'b', 'c']],
    ['array of integer', '80\n443', [80, 443]],
    ['object', 'a=1\nb=x=y', { a: '1', b: 'x=y' }],
  ])('as %s: %j is %j', (type, typed, value) => {
    expect(asValue({ type }, typed)).toEqual({ value });
  });

  test('that has not the form of its field is a problem of that field', () => {
    expect(asValue({ type: 'integer' }, 'many')).toHaveProperty('problem');
    expect(asValue({ type: 'object' }, 'no sign')).toHaveProperty('problem');
  });

  test('is what a value of the API would be typed as', () => {
    expect([asTyped(['a', 'b']), asTyped({ a: '1' }), asTyped(true), asTyped(null)]).toEqual([
      'a\nb',
      'a=1',
      'true',
      '',
    ]);
  });
});

describe('a form', () => {
  test('of something new sends what is not empty, and misses what is required', () => {
    expect(sentOf(groups, { region: 'r', key: 's', ports: '' }, undefined)).toEqual({
      body: { region: 'r', key: 's' },
      problems: {},
    });
    expect(sentOf(groups, {}, undefined).problems).toEqual({ region: 'Region is required.' });
  });

  test('of something stored sends what changed; an empty field goes back to its default, a sensitive one stays', () => {
    const stored = { region: 'r', ports: '80', tags: '', adopt: 'false', key: '' };
    expect(sentOf(groups, stored, stored)).toEqual({ body: {}, problems: {} });
    expect(sentOf(groups, { ...stored, ports: '', adopt: 'true' }, stored).body).toEqual({ ports: null, adopt: true });
    expect(sentOf(groups, { ...stored, key: 'new' }, stored).body).toEqual({ key: 'new' });
  });
});
