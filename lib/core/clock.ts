/** The time, handed in so that a test can hold it still. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * Answers the milliseconds since it was started, by the wall clock or the monotonic one, whichever is greater: the monotonic
 * one may stand still while the machine sleeps, and the wall clock may be set back.
 */
export function startStopwatch(clock: Clock): () => number {
  const [wall, monotonic] = [clock.now().getTime(), performance.now()];
  return () => Math.max(clock.now().getTime() - wall, performance.now() - monotonic);
}
