import { expect, test } from 'vitest';
import {
  descriptionLengthMax,
  descriptionOf,
  idOfVersion,
  parsePage,
  parseVariable,
} from '#destinations/workspace-vars/fields/record.ts';
import { mark } from './setup.ts';

const resource = (attributes: object = {}) => ({
  id: 'var-EavQ1LztoRTQHSNT',
  type: 'vars',
  attributes: {
    key: 'some_key',
    value: null,
    description: descriptionOf(undefined, mark),
    sensitive: true,
    category: 'terraform',
    hcl: false,
    'version-id': '1aa07d63ea8ff4df941c94ca9ddfd5d2bd04',
    ...attributes,
  },
});

test('a variable is read as the host documents it', () => {
  expect(parseVariable({ data: resource() }).data?.data).toEqual({
    id: 'var-EavQ1LztoRTQHSNT',
    name: 'some_key',
    category: 'terraform',
    hcl: false,
    sensitive: true,
    mark,
    version: 'var-EavQ1LztoRTQHSNT:1aa07d63ea8ff4df941c94ca9ddfd5d2bd04',
  });
});

test('a host may leave out description and version', () => {
  const bare = parseVariable({ data: resource({ description: null, 'version-id': undefined }) }).data?.data;
  expect(bare).toMatchObject({ mark: null, version: 'var-EavQ1LztoRTQHSNT:' });
  expect(idOfVersion(bare?.version ?? null)).toBe('var-EavQ1LztoRTQHSNT');
});

test.each([
  [descriptionOf(undefined, mark), mark],
  [descriptionOf('for the nightly run', mark), mark],
  [descriptionOf(`quotes managed by keyferry, mark ${'f'.repeat(32)}`, mark), mark],
  [`${descriptionOf(undefined, mark)} and more`, null],
  [`not managed by keyferry, mark ${mark}`, null],
  ['', null],
])('the mark in the description %j is %s', (description, expected) => {
  expect(parsePage({ data: [resource({ description })] }).data?.records[0]?.mark).toBe(expected);
});

test('the longest text and our mark are the longest description', () => {
  expect(descriptionOf('d'.repeat(descriptionLengthMax), mark)).toHaveLength(512);
});

test.each([{}, { data: {} }, { data: { ...resource(), type: 'workspaces' } }, { data: { ...resource(), id: '../x' } }])(
  '%j is no variable',
  (body) => {
    expect(parseVariable(body).success).toBe(false);
  },
);
