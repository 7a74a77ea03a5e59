import type { Reporter, SerializedError, TestModule, TestResult } from 'vitest/node';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A module as far as it is counted here. */
export interface Counted {
  ok(): boolean;
  readonly children: { allTests(): Iterable<{ result(): Pick<TestResult, 'state'> }> };
}

/**
 * Ends the output of a run with one plain line: `12 passed, 0 failed`, or `12 passed, 1 failed, 2 skipped`. It comes when the
 * process ends, after everything that other reporters and the teardown have to say.
 */
export class ClosingLine implements Reporter {
  #line = lineOf({ passed: 0, failed: 1, skipped: 0 });

  /** A run that does not get to its end (services that do not start) has failed. */
  onInit(): void {
    process.once('exit', () => process.stdout.write(`${this.#line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    this.#line = lineOf(tally(modules, unhandled.length));
  }
}

/**
 * A test that was never run counts as failed, and so does a module that failed apart from its tests (it could not be loaded,
 * or a hook of it threw), and an error that belongs to no test.
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
