import { expect, test } from 'vitest';
import {
  againMs,
  decideCircuit,
  decideCounted,
  decideFailing,
  decideThrottled,
  groupMs,
  isIdle,
  nothingTold,
  type Present,
  type Told,
} from '#notices/tell/decide.ts';
import { decideQueue } from '#notices/tell/queue.ts';

const now = 1_800_000_000_000;
const ago = (ms: number) => new Date(now - ms);
type Gate = Exclude<Present['gate'], undefined>;
const closed: Gate = { circuit: 'closed', openedBy: undefined, throttledSince: undefined };
const open: Gate = { ...closed, circuit: 'open', openedBy: 'silence' };
const throttled: Gate = { ...open, openedBy: 'throttling', throttledSince: ago(1) };
const well: Present = { failing: false, troubled: false, gate: closed };
const failing: Present = { ...well, failing: true, troubled: true };
const retrying: Present = { ...well, troubled: true };
const told: Told = { ...nothingTold, failing_since: ago(againMs), counted_at: ago(1), failed: 4, kinds: ['network'] };

test.each<[string, Told, Present, string]>([
  ['nothing is told of a destination in order', nothingTold, well, 'nothing'],
  ['nothing is told of syncs that are tried again', nothingTold, retrying, 'nothing'],
  ['the first failed sync is noted', nothingTold, failing, 'note'],
  ['the group is not complete yet', { ...nothingTold, failing_since: ago(groupMs - 1) }, failing, 'nothing'],
  ['the group is complete', { ...nothingTold, failing_since: ago(groupMs) }, failing, 'count'],
  ['a failure that recovers within the group is dropped', { ...nothingTold, failing_since: ago(1) }, well, 'drop'],
  ['a failing destination is not counted again soon', told, failing, 'nothing'],
  ['a failing destination is counted again later', { ...told, counted_at: ago(againMs) }, failing, 'count'],
  ['a mended destination whose syncs are queued again is not in order yet', told, retrying, 'nothing'],
  ['a destination without errors has recovered', told, well, 'recover'],
  [
    'a destination that fails again soon after it recovered waits',
    { ...nothingTold, failing_since: ago(groupMs), counted_at: ago(againMs - 1) },
    failing,
    'nothing',
  ],
])('%s', (_what, before, present, expected) => {
  expect(decideFailing(before, present, now)).toBe(expected);
});

test.each<[string, number, readonly string[], { isNews: boolean; failed: number }]>([
  ['more failed syncs are news', 5, ['network'], { isNews: true, failed: 5 }],
  ['another kind of error is news', 4, ['network', 'quota'], { isNews: true, failed: 4 }],
  ['another kind is news also when there are fewer', 3, ['quota'], { isNews: true, failed: 3 }],
  ['the same number is not news', 4, ['network'], { isNews: false, failed: 4 }],
  ['a few less are not news, and what was told is kept', 3, ['network'], { isNews: false, failed: 4 }],
  ['half of them are not news, and from then on count as told', 2, ['network'], { isNews: false, failed: 2 }],
])('%s', (_what, failed, kinds, expected) => {
  expect(decideCounted(told, failed, kinds)).toEqual({ ...expected, kinds });
});

test('a number that swings a little is told once, and one that falls to one and grows again is told again', () => {
  const events = (counts: readonly number[]) => {
    let before: Told = { ...nothingTold, failed: 0 };
    return counts.filter((count) => {
      const { isNews, failed, kinds } = decideCounted(before, count, ['network']);
      before = { ...before, failed, kinds };
      return isNews;
    });
  };
  expect(events([400, 399, 400, 399, 400])).toEqual([400]);
  expect(events([400, 1, 400])).toEqual([400, 400]);
});

test('a kind of error that was gone is news when it comes back', () => {
  const gone = decideCounted({ ...told, failed: 400, kinds: ['conflict', 'network'] }, 300, ['conflict']);
  expect(gone).toEqual({ isNews: false, failed: 400, kinds: ['conflict'] });
  expect(decideCounted({ ...told, ...gone }, 400, ['conflict', 'network']).isNews).toBe(true);
});

test.each<[string, Told, Present['gate'], string]>([
  ['an open circuit is told', nothingTold, open, 'opened'],
  ['a circuit that throttling opened is not told', nothingTold, throttled, 'nothing'],
  ['a circuit that was told is not told again', { ...nothingTold, circuit_open: true }, open, 'nothing'],
  [
    'a probe is not the end of it',
    { ...nothingTold, circuit_open: true },
    { ...open, circuit: 'half-open' },
    'nothing',
  ],
  ['a closed circuit is told', { ...nothingTold, circuit_open: true }, closed, 'closed'],
  ['without Redis nothing is known', { ...nothingTold, circuit_open: true }, undefined, 'nothing'],
  ['a circuit that flaps is told now and then', { ...nothingTold, circuit_told_at: ago(againMs - 1) }, open, 'nothing'],
  ['and again later', { ...nothingTold, circuit_told_at: ago(againMs) }, open, 'opened'],
])('%s', (_what, before, gate, expected) => {
  expect(decideCircuit(before, { ...well, gate }, now)).toBe(expected);
});

test.each<[string, Told, Present['gate'], string]>([
  ['nothing is told of a destination that is not throttled', nothingTold, closed, 'nothing'],
  ['a throttled destination is told', nothingTold, throttled, 'throttled'],
  [
    'a throttled destination that was told is not told again',
    { ...nothingTold, throttled: true },
    throttled,
    'nothing',
  ],
  ['one that is not throttled any longer is told', { ...nothingTold, throttled: true }, closed, 'unthrottled'],
  ['without Redis nothing is known', { ...nothingTold, throttled: true }, undefined, 'nothing'],
  [
    'one that is throttled again soon waits',
    { ...nothingTold, throttled_told_at: ago(againMs - 1) },
    throttled,
    'nothing',
  ],
  ['and is told later', { ...nothingTold, throttled_told_at: ago(againMs) }, throttled, 'throttled'],
])('throttling: %s', (_what, before, gate, expected) => {
  expect(decideThrottled(before, { ...well, gate }, now)).toBe(expected);
});

test('what was told is kept until it limits nothing any longer', () => {
  expect(isIdle(nothingTold, now)).toBe(true);
  expect(isIdle({ ...nothingTold, counted_at: ago(againMs - 1) }, now)).toBe(false);
  expect(isIdle({ ...nothingTold, counted_at: ago(againMs) }, now)).toBe(true);
  expect(isIdle({ ...nothingTold, circuit_open: true }, now)).toBe(false);
  expect(isIdle({ ...nothingTold, throttled: true }, now)).toBe(false);
  expect(isIdle({ ...nothingTold, throttled_told_at: ago(againMs - 1) }, now)).toBe(false);
  expect(isIdle(told, now)).toBe(false);
});

test.each<[number, boolean, number, string | undefined]>([
  [79, false, againMs, undefined],
  [80, false, againMs, 'queue.filling'],
  [80, false, againMs - 1, undefined],
  [80, true, 0, undefined],
  [60, true, 0, undefined],
  [59, true, 0, 'queue.drained'],
  [59, false, againMs, undefined],
])('%i of 100 pending, told as filling: %s, %i ms ago: %s', (pending, filling, agoMs, expected) => {
  expect(decideQueue({ filling, at: ago(agoMs).toISOString() }, { pending, capacity: 100 }, now)).toBe(expected);
});
