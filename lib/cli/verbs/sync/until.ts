import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { CommandFailure } from '../../failure.ts';
import type { Given } from '../../verb.ts';
import { patient } from '../watch.ts';

const timeoutMsOtherwise = 300_000;
const lookMsFirst = 100;
const lookMsMax = 2_000;

/**
 * Looks until a condition holds, more and more seldom.
 * @param next a command that shows how far it is
 * @throws CommandFailure when `--timeout` is over, or the user interrupts the wait
 */
export async function untilTrue(
  context: Context,
  given: Given,
  next: string,
  holds: () => Promise<boolean>,
): Promise<void> {
  const timeoutMs = given.duration('timeout', timeoutMsOtherwise);
  const { signal } = context.host;
  const end = performance.now() + timeoutMs;
  const look = patient(context, holds);
  try {
    for (let waitMs = lookMsFirst; (await look()) !== true; waitMs = Math.min(lookMsMax, waitMs * 1.5)) {
      if (performance.now() + waitMs > end)
        throw new CommandFailure(
          'timedOut',
          `not done within ${timeoutMs / 1_000} s; it goes on in the background`,
          next,
        );
      await delay(waitMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure('interrupted', 'interrupted; it goes on in the background', next);
  }
}
