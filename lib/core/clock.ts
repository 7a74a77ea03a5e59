/** The time, passed as a dependency so that tests can stop it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * Returns a function that measures the milliseconds since the start, by the wall clock or the monotonic one, whichever is
 * greater: the monotonic clock may stop while the machine sleeps, and the wall clock may be set back.
 */
export function startStopwatch(clock: Clock): () => number {
  const [wall, monotonic] = [clock.now().getTime(), performance.now()];
  return () => Math.max(clock.now().getTime() - wall, performance.now() - monotonic);
}
