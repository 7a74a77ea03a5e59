// Beyond the usual files: deletion, recovery and purge go on after their answer, so puts and removals wait.
import { setTimeout as sleep } from 'node:timers/promises';
import { DestinationFailure } from '../contract.ts';

/** How often a step is tried while the vault is still deleting, recovering or purging: some 70 seconds in all. */
const triesMax = 40;
const pauseMsMin = 100;
const pauseMsMax = 2_000;

/** Repeats `step`, which answers undefined while the vault is busy with the secret. */
export async function untilSettled<T>(signal: AbortSignal, step: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < triesMax; tries++) {
    const done = await step();
    if (done !== undefined) return done;
    await sleep(Math.min(pauseMsMax, pauseMsMin * 2 ** tries), undefined, { signal });
  }
  throw new DestinationFailure(
    'unavailable',
    'the vault is still deleting, recovering or purging a secret of this name',
  );
}
