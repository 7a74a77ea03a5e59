import { expect, test } from 'vitest';
import { throttled } from '#telemetry/gauges/service.ts';

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

test('frequently requested work runs at most every five seconds', async () => {
  const { clock, asked } = counting(1);
  for (clock.now = 0; clock.now < 20_000; clock.now += 100) await asked();
  expect(clock.runs).toBe(4);
});

test('slow work takes at most two per cent of the time', async () => {
  const { clock, asked } = counting(1_000);
  for (clock.now = 0; clock.now < 200_000; clock.now += 1_000) await asked();
  expect(clock.runs).toBe(4);
});

test('a call during a run waits for it, and the work does not run twice', async () => {
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
