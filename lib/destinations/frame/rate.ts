import type { Rate } from '../contract.ts';

/**
 * The budget for a provider's published limit of `calls` in any `seconds`: nine tenths as the steady rate and one tenth as the
 * burst, so that no interval of that length has more calls than the limit.
 */
export const nineTenthsOf = (calls: number, seconds: number): Rate => ({
  callsPerSecond: (calls * 9) / 10 / seconds,
  burst: Math.floor(calls / 10),
});
