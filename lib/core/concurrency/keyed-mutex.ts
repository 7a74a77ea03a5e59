import { AppError } from '../errors.ts';

/**
 * Runs calls with the same key one after another, in the order they came; calls with different keys know nothing of each
 * other, and a call that meets nobody runs at once. One that fails lets the next one run.
 *
 * @throws AppError `unavailable` when the turn comes after more than `waitMsMax` milliseconds; `run` was not called then
 */
export function keyedMutex<Input, Output>(
  run: (input: Input) => Promise<Output>,
  { keyOf, waitMsMax }: { readonly keyOf: (input: Input) => string; readonly waitMsMax: number },
): (input: Input) => Promise<Output> {
  const last = new Map<string, Promise<void>>();

  async function runAfter(before: Promise<void>, input: Input): Promise<Output> {
    const dueMs = performance.now() + waitMsMax;
    await before;
    // Who waited behind a hanging call must not go on when nobody expects it any more.
    if (performance.now() >= dueMs) throw new AppError('unavailable', 'calls before this one took too long: try again');
    return run(input);
  }

  return (input) => {
    const key = keyOf(input);
    const before = last.get(key);
    const outcome = before === undefined ? run(input) : runAfter(before, input);
    const over = outcome.then(leave, leave);
    function leave(): void {
      if (last.get(key) === over) last.delete(key);
    }
    last.set(key, over);
    return outcome;
  };
}
