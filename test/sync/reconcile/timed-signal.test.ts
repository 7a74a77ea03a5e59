import { expect, test } from 'vitest';
import { timedSignal } from '#sync/reconcile/attempt-budget.ts';

function signalWith(isOver: () => boolean) {
  const controller = new AbortController();
  const reason = new Error('its time is over');
  return { controller, reason, signal: timedSignal(controller, isOver, reason) };
}

test('a signal whose time is over aborts when its state is read, and notifies listeners and derived signals', () => {
  let over = false;
  const { signal, reason } = signalWith(() => over);
  const derived = AbortSignal.any([signal]);
  let calls = 0;
  signal.addEventListener('abort', () => {
    calls += 1;
  });
  expect(signal.aborted).toBe(false);
  signal.throwIfAborted();
  expect(calls).toBe(0);
  over = true;
  expect(() => signal.throwIfAborted()).toThrow(reason);
  expect([signal.aborted, derived.aborted, calls]).toEqual([true, true, 1]);
  expect(AbortSignal.any([signal]).reason).toBe(reason);
});

test('an aborted signal stays aborted with its own reason and no longer checks the time', () => {
  const { controller, signal } = signalWith(() => {
    throw new Error('it looked');
  });
  const earlier = new Error('the worker stops');
  controller.abort(earlier);
  expect(signal.aborted).toBe(true);
  expect(() => signal.throwIfAborted()).toThrow(earlier);
});
