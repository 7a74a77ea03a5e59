import type fc from 'fast-check';
import { patience } from './patience.ts';

const factor = Math.max(Number(process.env['KEYFERRY_FUZZ_RUNS'] ?? '1') || 1, 0.01);

/**
 * So many runs of a property, times `KEYFERRY_FUZZ_RUNS`. The seed is another one each time; a failure prints it with the
 * smallest counterexample, and `fc.assert(…, { seed, path })` plays it again.
 */
export const runs = <T = unknown>(count: number): fc.Parameters<T> => ({
  numRuns: Math.max(1, Math.round(count * factor)),
});

/** Options of a test with a property: a second try would have other seeds, and hide what the first one found. */
export const fuzzing = { timeout: patience.testMs * Math.max(1, factor), retry: 0 };
