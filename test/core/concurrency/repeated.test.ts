import { expect, onTestFinished, test, vi } from 'vitest';
import { Repeated } from '#core/concurrency/repeated.ts';

test('rounds follow one another while there is a reason, also after one that fails, and one at a time', async () => {
  let [left, running, rounds] = [3, 0, 0];
  const ended = Promise.withResolvers<void>();
  const repeated = new Repeated({
    everyMs: 1,
    goesOn: () => left > 0,
    async round() {
      running += 1;
      expect(running).toBe(1);
      // Does nothing during a round.
      repeated.begin();
      await new Promise((resolve) => setTimeout(resolve, 5));
      [left, running, rounds] = [left - 1, 0, rounds + 1];
      if (left === 0) ended.resolve();
      throw new Error('a round that fails');
    },
  });
  repeated.begin();
  repeated.begin();
  await ended.promise;
  expect(rounds).toBe(3);
  const again = Promise.withResolvers<void>();
  const other = new Repeated({ everyMs: 1, goesOn: () => true, round: async () => again.resolve() });
  other.begin();
  await again.promise;
  other.close();
  other.begin();
  repeated.close();
});

test('rounds that take long come less often, so that they take a share of the time only', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let rounds = 0;
  const round = () => {
    rounds += 1;
    return new Promise<void>((resolve) => setTimeout(resolve, 90));
  };
  const repeated = new Repeated({ everyMs: 10, shareMax: 0.1, goesOn: () => true, round });
  repeated.begin();
  await vi.advanceTimersByTimeAsync(10 + 90 + 809);
  expect(rounds).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds).toBe(2);
  repeated.close();
});

test('a hastened round comes within the time, no closer to the one before, and only while rounds go on', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let rounds = 0;
  let during = (): void => {};
  const repeated = new Repeated({
    everyMs: 500,
    goesOn: () => true,
    async round() {
      rounds += 1;
      during();
    },
  });
  const roundsAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return rounds;
  };
  repeated.hasten(50);
  expect(await roundsAfter(1_000)).toBe(0);
  repeated.begin();
  await roundsAfter(100);
  repeated.hasten(50);
  await roundsAfter(40);
  // Does not put it off.
  repeated.hasten(50);
  expect(await roundsAfter(9)).toBe(0);
  during = () => repeated.hasten(50);
  expect(await roundsAfter(1)).toBe(1);
  during = () => {};
  expect(await roundsAfter(49)).toBe(1);
  expect(await roundsAfter(1)).toBe(2);
  expect(await roundsAfter(499)).toBe(2);
  expect(await roundsAfter(1)).toBe(3);
  await roundsAfter(480);
  // The next one is nearer.
  repeated.hasten(50);
  expect(await roundsAfter(20)).toBe(4);
  repeated.close();
  repeated.hasten(50);
  expect(await roundsAfter(1_000)).toBe(4);
});
