import type { Reporter, SerializedError, TestModule, TestResult } from 'vitest/node';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The parts of a test module that are counted. */
export interface Counted {
  ok(): boolean;
  readonly children: { allTests(): Iterable<{ result(): Pick<TestResult, 'state'> }> };
}

/**
 * Ends the output of a run with one plain line: `12 passed, 0 failed`, or `12 passed, 1 failed, 2 skipped`. The line is printed when
 * the process exits, after the output of other reporters and of the teardown.
 */
export class ClosingLine implements Reporter {
  #line = lineOf({ passed: 0, failed: 1, skipped: 0 });

  /** A run that never finishes (because services do not start) counts as failed. */
  onInit(): void {
    process.once('exit', () => process.stdout.write(`${this.#line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#line = lineOf(tally(modules, unhandled.length));
  }
}

/**
 * Failures are also tests that never ran, modules that failed outside their tests (they could not be loaded, or a hook threw), and
 * errors that belong to no test.
 */
export function tally(modules: readonly Counted[], unhandledErrors: number): Tally {
  const counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    const states = [...module.children.allTests()].map((test) => test.result().state);
    for (const state of states) counts[state === 'pending' ? 'failed' : state] += 1;
    if (!module.ok() && !states.some((state) => state === 'failed' || state === 'pending')) counts.failed += 1;
  }
  return counts;
}

export function lineOf({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
