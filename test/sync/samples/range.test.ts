import { expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { rangeOf } from '#sync/rows/overview/samples/range.ts';

const now = new Date('2030-01-31T08:00:07Z');

test.each([
  ['-1h', 'now', undefined, '2030-01-31T07:00:00.000Z', '2030-01-31T08:00:10.000Z', 10],
  ['-2h', 'now', undefined, '2030-01-31T06:00:00.000Z', '2030-01-31T08:00:20.000Z', 20],
  ['-24h', 'now', undefined, '2030-01-30T08:00:00.000Z', '2030-01-31T08:05:00.000Z', 300],
  ['-1d', '-1h', 60, '2030-01-30T08:00:00.000Z', '2030-01-31T07:01:00.000Z', 60],
  ['-90s', 'now', 10, '2030-01-31T07:58:30.000Z', '2030-01-31T08:00:10.000Z', 10],
  [
    '2030-01-31T06:00:00Z',
    '2030-01-31T09:00:00+02:00',
    600,
    '2030-01-31T06:00:00.000Z',
    '2030-01-31T07:00:00.000Z',
    600,
  ],
])('from %s to %s with the step %s', (from, to, step, begin, end, seconds) => {
  const range = rangeOf({ from, to, step }, now);
  expect([range.from.toISOString(), range.to.toISOString(), range.stepSeconds]).toEqual([begin, end, seconds]);
});

test.each([
  ['yesterday', 'now', undefined, ['from']],
  ['2030-01-31', 'now', undefined, ['from']],
  ['-1h', '+1h', undefined, ['to']],
  ['-1y', '2030-13-31T08:00:00Z', undefined, ['from', 'to']],
  ['now', '-1h', undefined, ['from', 'to']],
  ['-24h', 'now', 10, ['step']],
  ['-9999999d', 'now', 10, ['from']],
])('from %s to %s with the step %s is refused', (from, to, step, fields) => {
  const refused = () => rangeOf({ from, to, step }, now);
  expect(refused).toThrow(AppError);
  try {
    refused();
  } catch (error) {
    expect((error as AppError).problemsIn((word) => word).map(({ field }) => field)).toEqual(fields);
  }
});
