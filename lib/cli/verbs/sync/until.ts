import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { CommandFailure } from '../../failure.ts';
import type { Given } from '../../verb.ts';

const timeoutMsOtherwise = 300_000;
const lookMsFirst = 100;
const lookMsMax = 2_000;

/** Looks until a condition holds, more and more seldom. @throws CommandFailure when `--timeout` is over */
export async function untilTrue({ host }: Context, given: Given, holds: () => Promise<boolean>): Promise<void> {
  const timeoutMs = given.duration('timeout', timeoutMsOtherwise);
  const end = performance.now() + timeoutMs;
  for (let waitMs = lookMsFirst; !(await holds()); waitMs = Math.min(lookMsMax, waitMs * 1.5)) {
    if (performance.now() + waitMs > end)
      throw new CommandFailure('timedOut', `not done within ${timeoutMs / 1_000} s`, 'keyferry status');
    await delay(waitMs, undefined, { signal: host.signal });
  }
}
