import type { Rate } from '../contract.ts';

/**
 * The budget for a provider's published limit of `calls` in any `seconds`: the limit as the rate to begin with, from which the gate
 * learns, and a tenth of these calls as the burst.
 */
export const publishedRate = (calls: number, seconds: number): Rate => ({
  callsPerSecond: calls / seconds,
  burst: Math.floor(calls / 10),
});
