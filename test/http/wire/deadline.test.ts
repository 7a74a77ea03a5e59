import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadline } from '#http/wire/connection/connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => {});

test('work that finishes in time returns its outcome, and nothing is aborted', async () => {
  const within = createDeadline(1000);
  const expire = vi.fn();
  expect(await within(Promise.resolve(1), expire)).toBe(1);
  await expect(within(Promise.reject(new Error('its own')), expire)).rejects.toThrow('its own');
  await vi.advanceTimersByTimeAsync(5000);
  expect(expire).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('each piece of work has its own deadline, and expires once', async () => {
  const within = createDeadline(1000);
  const [first, second] = [vi.fn(), vi.fn()];
  const one = within(never(), first).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(600);
  const other = within(never(), second).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(500);
  expect(await one).toBe('the request took too long');
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(600);
  expect(await other).toBe('the request took too long');
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
});

test('after an idle period the next piece of work is timed again', async () => {
  const within = createDeadline(1000);
  await within(Promise.resolve(), () => {});
  await vi.advanceTimersByTimeAsync(5000);
  const late = within(never(), () => {}).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(1100);
  expect(await late).toBe('the request took too long');
});
