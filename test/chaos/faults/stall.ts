import { whatIsKnown } from '../model/known.ts';
import type { World } from '../world.ts';

/** After this long without a call to any stand-in, the state is reported. */
const stallMs = 30_000;
const lookMs = 1_000;

/** The number of calls to all stand-ins so far. */
export function callCount({ fakes }: Pick<World, 'fakes'>): number {
  let count = 0;
  for (const fake of fakes.values()) for (const calls of fake.calls().values()) count += calls;
  return count;
}

/** Reports the state once when nothing has been called for half a minute, and again after the next call and pause. */
export function watchForStall(world: World, report: (text: string) => void): { stop(): void } {
  let [calls, since, reported] = [callCount(world), Date.now(), false];
  const timer = setInterval(() => {
    const now = callCount(world);
    if (now !== calls) [calls, since, reported] = [now, Date.now(), false];
    if (reported || Date.now() - since < stallMs) return;
    reported = true;
    void reportAll(world, `no call for ${stallMs / 1_000} s`, report);
  }, lookMs);
  return { stop: () => clearInterval(timer) };
}

/** The remaining work, and the last log lines of each process. */
export async function reportAll(world: World, why: string, report: (text: string) => void): Promise<void> {
  const known = await whatIsKnown(world);
  const processes = world.processes.flatMap(({ name, ready, starts, kills, tail }) => [
    `${name}: ${ready ? 'ready' : 'not ready'}, ${starts} starts, ${kills} kills`,
    ...tail.map((line) => `${name}: ${line}`),
  ]);
  for (const line of [`${new Date().toISOString()} ${why}`, ...known, ...processes]) report(line);
}
