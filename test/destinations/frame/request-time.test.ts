import { expect, test } from 'vitest';
import { RequestTimeout, withinRequestTime } from '#destinations/frame/verb/request-time.ts';
import { patience } from '../../support/measures/patience.ts';

const forEver = () => new Promise<never>(() => {});

test('a request that ignores its signal ends at its deadline', async () => {
  await expect(withinRequestTime(20, undefined, forEver)).rejects.toThrow(RequestTimeout);
});

test('the signal of the request aborts at its deadline', async () => {
  const seen: AbortSignal[] = [];
  const run = (ends: AbortSignal) => {
    seen.push(ends);
    return forEver();
  };
  await expect(withinRequestTime(20, new AbortController().signal, run)).rejects.toThrow('no answer within 20 ms');
  expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
});

test('an abort by the caller is not a timeout of the request', async () => {
  const controller = new AbortController();
  const waiting = withinRequestTime(patience.conditionMs, controller.signal, forEver);
  controller.abort(new Error('the caller has ended'));
  await expect(waiting).rejects.toThrow('the caller has ended');
  await expect(withinRequestTime(patience.conditionMs, controller.signal, forEver)).rejects.toThrow('the caller has');
});

test('answers and failures in time are passed on', async () => {
  expect(await withinRequestTime(patience.conditionMs, undefined, async () => 'answer')).toBe('answer');
  const failing = () => Promise.reject(new Error('refused'));
  await expect(withinRequestTime(patience.conditionMs, undefined, failing)).rejects.toThrow('refused');
});
