import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { refreshRegularly } from '#store/postgres/refreshing.ts';

const everyMs = 500;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('no refresh begins while one hangs, and the next follows its end after a pause', async () => {
  const looks: (() => void)[] = [];
  const stop = refreshRegularly(() => new Promise<void>((resolve) => void looks.push(resolve)), {
    everyMs,
    log: silentLog,
  });
  await vi.advanceTimersByTimeAsync(20 * everyMs);
  expect(looks).toHaveLength(1);
  looks[0]?.();
  await vi.advanceTimersByTimeAsync(everyMs);
  expect(looks).toHaveLength(2);
  stop();
});

test('a failed refresh is repeated, and none begins after the stop, not even after one in progress', async () => {
  let looks = 0;
  const hanging = Promise.withResolvers<void>();
  const refresh = () => {
    looks += 1;
    return looks === 1 ? Promise.reject(new Error('away')) : hanging.promise;
  };
  const stop = refreshRegularly(refresh, { everyMs, log: silentLog });
  await vi.advanceTimersByTimeAsync(2 * everyMs);
  expect(looks).toBe(2);
  stop();
  hanging.resolve();
  await vi.advanceTimersByTimeAsync(10 * everyMs);
  expect(looks).toBe(2);
});
