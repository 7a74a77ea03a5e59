import { expect, test } from 'vitest';
import { timedSignal } from '../../../lib/sync/reconcile/attempt-budget.ts';

function signalWith(isOver: () => boolean) {
  const controller = new AbortController();
  const reason = new Error('its time is over');
  return { controller, reason, signal: timedSignal(controller, isOver, reason) };
}

test('a signal whose time is over aborts when it is asked, and notifies those who listen and those derived from it', () => {
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

test('a signal that was aborted before stays so, with its own reason, and looks no more', () => {
  const { controller, signal } = signalWith(() => {
    throw new Error('it looked');
  });
  const earlier = new Error('the worker stops');
  controller.abort(earlier);
  expect(signal.aborted).toBe(true);
  expect(() => signal.throwIfAborted()).toThrow(earlier);
});
