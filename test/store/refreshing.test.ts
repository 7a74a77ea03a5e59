import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../lib/core/log.ts';
import { refreshRegularly } from '../../lib/store/refreshing.ts';

const everyMs = 500;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a look at the database that hangs is the only one until it ends, and the next one follows a pause later', async () => {
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

test('a look that fails is repeated, and none follows the stop, not even after one that was under way', async () => {
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
