/** Between two runs at least, in milliseconds; and so many times as long as the last one took. */
const pauseMsMin = 5_000;
const pauseFactor = 50;

/**
 * Limits how often work runs, and runs it once at a time: a call during a run waits for its end, a call during the pause after
 * it does nothing. So a slow query takes 2 % of the time at most, however often it is asked for. A run that fails rejects the
 * calls that wait for it, and is followed by a pause too. `now` is in milliseconds.
 */
export function throttled(work: () => Promise<void>, now: () => number = () => performance.now()): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  const run = async () => {
    const started = now();
    await work().finally(() => {
      next = now() + Math.max(pauseMsMin, pauseFactor * (now() - started));
      running = undefined;
    });
  };
  return () => {
    if (running === undefined && now() >= next) running = run();
    return running ?? Promise.resolve();
  };
}
