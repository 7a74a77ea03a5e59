import { expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { outageOf, withRareOutages } from '#core/log/outage.ts';

function keptLog() {
  const lines: object[] = [];
  const keep = (fields: object, message: string) => void lines.push({ ...fields, message });
  const seconds: (() => void)[] = [];
  const log: Log = withRareOutages({ debug: keep, info: keep, warn: keep, error: keep }, (work) => seconds.push(work));
  return { lines, log, nextSecond: () => seconds.shift()?.() };
}

const outage = { outage: true, error: 'it refuses connections' };

test('during an outage the first line is written at once, and then the last of each second with the number of the others', () => {
  const { lines, log, nextSecond } = keptLog();
  log.warn({ ...outage, job: 1 }, 'waits');
  log.error({ ...outage, job: 2 }, 'waits');
  log.warn({ ...outage, job: 3 }, 'waits');
  log.warn({ ...outage, job: 4 }, 'lost');
  expect(lines).toEqual([{ ...outage, job: 1, message: 'waits' }]);
  nextSecond();
  expect(lines.slice(1)).toEqual([{ ...outage, job: 4, suppressed: 2, message: 'lost' }]);
  log.warn({ ...outage, job: 5 }, 'waits');
  expect(lines).toHaveLength(2);
  nextSecond();
  expect(lines.slice(2)).toEqual([{ ...outage, job: 5, message: 'waits' }]);
  nextSecond();
  log.warn({ ...outage, job: 6 }, 'waits');
  expect(lines.slice(3)).toEqual([{ ...outage, job: 6, message: 'waits' }]);
});

test('all other lines are written unchanged', () => {
  const { lines, log } = keptLog();
  log.warn(outage, 'waits');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ level }, 'said');
  expect(lines.slice(1)).toEqual(['debug', 'info', 'warn', 'error'].map((level) => ({ level, message: 'said' })));
});

test('only an unavailable server is an outage', () => {
  expect(outageOf(new AppError('unavailable', 'away'))).toEqual({ outage: true, error: 'away' });
  expect(outageOf(new AppError('internal', 'broken'))).toBeUndefined();
  expect(outageOf(new Error('away'))).toBeUndefined();
});
