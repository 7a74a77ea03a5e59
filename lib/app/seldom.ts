/** Between two runs at least, in milliseconds; and so many times as long as the last one took. */
const pauseMsMin = 5_000;
const pauseFactor = 50;

/**
 * Runs work at most now and then, and once at a time: who calls meanwhile waits for the run that is under way, or for nothing.
 * So a slow query takes 2 % of the time at most, whoever asks however often.
 */
export function seldom(work: () => Promise<void>, now: () => number = () => performance.now()): () => Promise<void> {
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
