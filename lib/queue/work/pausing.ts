import type { Jobs } from '../parts.ts';

/**
 * Pauses or resumes queues; answers whether one was in the other state. The flag is in Redis only and may be lost with its
 * data, so the sweep calls this each time and what is right already is left alone.
 */
export async function setPaused(queues: Iterable<Jobs>, paused: boolean): Promise<boolean> {
  const states = await Promise.all([...queues].map(async (jobs) => ({ jobs, now: await jobs.isPaused() })));
  const others = states.filter(({ now }) => now !== paused);
  await Promise.all(others.map(({ jobs }) => (paused ? jobs.pause() : jobs.resume())));
  return others.length > 0;
}
