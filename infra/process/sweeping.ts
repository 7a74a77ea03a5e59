import { setTimeout as pause } from 'node:timers/promises';
import type { Sweeper } from '../../lib/app.ts';
import { outageOf } from '../../lib/core/log/outage.ts';
import type { Log } from '../../lib/core/log.ts';

/**
 * Rounds one after the other; answers how to end them. A round that fails is tried again by the next; the log gets the first
 * of a row of failures and the end of it.
 */
export async function sweepRegularly(sweeper: Sweeper, everyMs: number, log: Log): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const rounds = (async () => {
    let failing = false;
    while (!stop.signal.aborted) {
      const failure = await failureOf(sweeper);
      if (failure !== undefined && !failing) log.warn(failure, 'the sweep fails; it is tried again');
      if (failure === undefined && failing) log.info({}, 'the sweep works again');
      failing = failure !== undefined;
      await pause(everyMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return async () => {
    stop.abort();
    await rounds;
    await sweeper.close();
  };
}

/** Fields of a line about it. */
const failureOf = (sweeper: Sweeper): Promise<object | undefined> =>
  sweeper.run().then(
    () => undefined,
    (error: unknown) => outageOf(error) ?? { error: String(error) },
  );
