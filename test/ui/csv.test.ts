import { describe, expect, test } from 'vitest';
import { csvCell, csvHead, csvLines } from '#ui/pages/records/csv.ts';
import { recordOf } from '#ui/pages/records/record.ts';

describe('a cell of a CSV file', () => {
  test.each([
    ['app/production', 'app/production'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['@sum(a1),b', '"\'@sum(a1),b"'],
    ['-x', "'-x"],
    ['', ''],
  ])('of %j is %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

test('a file of records has a line for each, with as many cells as names', () => {
  const record = recordOf({
    id: '7',
    destination: { type: 'cloud-a-sm', name: 'prod' },
    mount: 'secret',
    secret_name: 'app/db',
    status: 'CLIENT_SIDE_ERROR',
    error: { kind: 'credentials', message: 'refused', remedy: 'write new credentials' },
    attempts: 2,
  });
  const lines = csvLines([record, record]).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^7,cloud-a-sm,prod,secret,app\/db,,CLIENT_SIDE_ERROR,credentials,refused,/);
  expect(lines[0]?.split(',')).toHaveLength(csvHead.split(',').length);
});
