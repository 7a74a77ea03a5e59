import type fc from 'fast-check';
import { patience } from './measures/patience.ts';

const factor = Math.max(Number(process.env['KEYFERRY_FUZZ_RUNS'] ?? '1') || 1, 0.01);

/**
 * Runs a property this many times, multiplied by `KEYFERRY_FUZZ_RUNS`. Each run has a new seed. A failure prints the seed with the
 * smallest counterexample, and `fc.assert(…, { seed, path })` repeats it.
 */
export const runs = <T = unknown>(count: number): fc.Parameters<T> => ({
  numRuns: Math.max(1, Math.round(count * factor)),
});

/** Options of a test with a property. */
export const fuzzing = { timeout: patience.testMs * Math.max(1, factor) };
