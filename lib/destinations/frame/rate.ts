import type { Rate } from '../contract.ts';

/**
 * The budget for a provider's published limit of `calls` in any `seconds`: the limit as the rate to begin with, from which the gate
 * learns, and a tenth of these calls as the burst.
 */
export const publishedRate = (calls: number, seconds: number): Rate => ({
  callsPerSecond: calls / seconds,
  burst: Math.floor(calls / 10),
});

/**
 * The budget for a provider that admits `calls` in each window of so few `seconds` that a burst, or a call that is late, is a notable part of
 * it. The gate then keeps to the windows.
 */
export const windowedRate = (calls: number, seconds: number): Rate => ({
  ...publishedRate(calls, seconds),
  windowMs: seconds * 1_000,
});
