import { expect, test } from 'vitest';
import { DestinationFailure, type Driver } from '#destinations/contract.ts';
import { Looks } from '#sync/ask/plan/looks.ts';

const fast = { rate: { callsPerSecond: 10_000, burst: 100, concurrencyMax: 2 }, costs: { look: 2 } };
const longMs = 60_000;

/** A driver whose look at `bad` fails. */
const driver = {
  inspect: async (name: string) => {
    if (name === 'bad') throw new DestinationFailure('permission', 'refused');
    return undefined;
  },
} as unknown as Driver;

test('the looks of a plan that fails midway are counted, the failed one too', async () => {
  const tally = { calls: 0 };
  const looks = new Looks(fast, driver, new AbortController().signal, longMs, tally);
  await expect(looks.at(['a', 'b', 'bad', 'never'])).rejects.toThrow('refused');
  expect(tally.calls).toBe(6);
});
