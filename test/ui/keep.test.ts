import { expect, test } from 'vitest';
import { keeperOf } from '#ui/shell/keeper.ts';

const hourMs = 3_600_000;

/** A keeper whose clock and server are held: it looks at times, each after a use. */
function kept(endsAfterMs: number | undefined, answers: (number | 'fails')[]) {
  let nowMs = 1_000_000;
  const renewals: number[] = [];
  const begin = nowMs;
  const renew = async () => {
    renewals.push(nowMs - begin);
    const answer = answers[Math.min(renewals.length, answers.length) - 1];
    if (answer === 'fails' || answer === undefined) throw new Error('no reply');
    return answer;
  };
  const keeper = keeperOf(endsAfterMs === undefined ? undefined : nowMs + endsAfterMs, renew, () => nowMs);
  return {
    renewals,
    /** Looks each ten seconds until then. */
    async until(ms: number, isUsed = true) {
      for (; nowMs <= begin + ms; nowMs += 10_000) {
        if (isUsed) keeper.use();
        await keeper.look();
      }
    },
  };
}

test('a session of eight hours is renewed at half of its time', async () => {
  const { renewals, until } = kept(8 * hourMs, [8 * 3_600]);
  await until(9 * hourMs);
  expect(renewals).toEqual([4 * hourMs + 10_000, 8 * hourMs + 20_000]);
});

test('a token that is renewed by its own short period is renewed before each of its ends', async () => {
  const { renewals, until } = kept(60_000, [60]);
  await until(5 * 60_000);
  const gaps = renewals.map((at, index) => at - (renewals[index - 1] ?? 0));
  expect(renewals.length).toBeGreaterThan(4);
  expect(Math.max(...gaps)).toBeLessThan(60_000);
});

test('a renewal that gives less than was asked for is believed', async () => {
  const { renewals, until } = kept(hourMs, [600]);
  await until(12 * 60_000);
  expect(renewals).toEqual([0, 310_000, 620_000]);
});

test('a renewal that failed leaves the session as it is, and is tried again, less and less often', async () => {
  const { renewals, until } = kept(2 * hourMs, ['fails']);
  await until(hourMs);
  const gaps = renewals.slice(1).map((at, index) => at - (renewals[index] ?? 0));
  expect(gaps.slice(0, 4)).toEqual([10_000, 20_000, 40_000, 80_000]);
  expect(Math.max(...gaps)).toBe(300_000);
});

test('after failures, the first renewal that works keeps the session', async () => {
  const { renewals, until } = kept(hourMs, ['fails', 'fails', 8 * 3_600]);
  await until(3 * hourMs, true);
  expect(renewals).toHaveLength(3);
});

test('neither a page that is not used nor a token without an end is renewed', async () => {
  const unused = kept(hourMs, [hourMs / 1_000]);
  await unused.until(hourMs, false);
  expect(unused.renewals).toHaveLength(1);
  const endless = kept(undefined, [hourMs / 1_000]);
  await endless.until(24 * hourMs);
  expect(endless.renewals).toEqual([]);
});
