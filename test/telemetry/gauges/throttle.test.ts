import { expect, test } from 'vitest';
import { throttled } from '../../../lib/telemetry/gauges/throttle.ts';

function counting(takesMs: number) {
  const clock = { now: 0, runs: 0 };
  const asked = throttled(
    async () => {
      clock.runs += 1;
      clock.now += takesMs;
    },
    () => clock.now,
  );
  return { clock, asked };
}

test('work that is asked for often is done at most every five seconds', async () => {
  const { clock, asked } = counting(1);
  for (clock.now = 0; clock.now < 20_000; clock.now += 100) await asked();
  expect(clock.runs).toBe(4);
});

test('slow work takes two in a hundred of the time at most', async () => {
  const { clock, asked } = counting(1_000);
  for (clock.now = 0; clock.now < 200_000; clock.now += 1_000) await asked();
  expect(clock.runs).toBe(4);
});

test('who asks while it is done waits for it, and it is not done twice', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const asked = throttled(() => {
    runs += 1;
    return promise;
  });
  const both = [asked(), asked()];
  resolve();
  await Promise.all(both);
  expect(runs).toBe(1);
});
