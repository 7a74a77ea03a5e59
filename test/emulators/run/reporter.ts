import type { TestCase } from 'vitest/node';

export interface Tally {
  passed: number;
  readonly failures: { readonly test: string; readonly message: string }[];
  /** Expected failures of tests, by reason. */
  readonly gaps: Map<string, string[]>;
  /** Exchanges that an oracle judged, by operation. */
  readonly judged: Map<string, number>;
  /** Allowed differences from the oracle, by reason. */
  readonly waived: Map<string, number>;
}

export const newTally = (): Tally => ({
  passed: 0,
  failures: [],
  gaps: new Map(),
  judged: new Map(),
  waived: new Map(),
});

/** Counts the results of one run. A skipped test counts as a failure: gaps must be listed. */
export function tallying(tally: Tally) {
  return {
    onTestCaseResult(test: TestCase): void {
      const { state, errors = [] } = test.result();
      const { gap, judged = {}, waived = {} } = test.meta();
      add(tally.judged, judged);
      add(tally.waived, waived);
      if (state !== 'passed') {
        const message = errors.map((error) => messageOf(error)).join('; ');
        tally.failures.push({ test: test.fullName, message: message || state });
      } else if (gap === undefined) tally.passed += 1;
      else tally.gaps.set(gap, [...(tally.gaps.get(gap) ?? []), test.fullName]);
    },
  };
}

function add(totals: Map<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) totals.set(name, (totals.get(name) ?? 0) + count);
}

function messageOf(error: { readonly message: string; readonly cause?: unknown; readonly diff?: string }): string {
  const cause = error.cause instanceof Object && 'message' in error.cause ? `: ${String(error.cause.message)}` : '';
  return `${error.message}${cause}${error.diff === undefined ? '' : `\n${error.diff}`}`;
}
