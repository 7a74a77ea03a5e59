import { AppError } from '../errors.ts';

/**
 * Runs calls with the same key one after another, in order of arrival; calls with different keys are independent, and a call
 * without contention runs at once. After a failure the next call runs.
 *
 * The seal has a simpler mutex (`store/seal/mutex.ts`), which serialises different kinds of work, such as sealing and rotation,
 * and must never refuse one of them for having waited too long.
 *
 * @throws AppError `unavailable` when a call has waited more than `waitMsMax` milliseconds; `run` is not called then
 */
export function keyedMutex<Input, Output>(
  run: (input: Input) => Promise<Output>,
  { keyOf, waitMsMax }: { readonly keyOf: (input: Input) => string; readonly waitMsMax: number },
): (input: Input) => Promise<Output> {
  const last = new Map<string, Promise<void>>();

  async function runAfter(before: Promise<void>, input: Input): Promise<Output> {
    const dueMs = performance.now() + waitMsMax;
    await before;
    // A call that waited behind a hanging one must not run after its caller has given up.
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
