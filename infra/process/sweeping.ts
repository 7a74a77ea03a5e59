import { setTimeout as pause } from 'node:timers/promises';
import type { Sweeper } from '../../lib/app.ts';
import { outageOf } from '../../lib/core/log/outage.ts';
import type { Log } from '../../lib/core/log.ts';

/** How soon after the last notification, or ended token, the next ones are looked for. */
const lookEveryMs = 1_000;

/**
 * Rounds one after the other, and beside them the notifications of workspaces, whose receivers no round waits for, the
 * emptying of disabled mounts, and the removal of tokens that have ended, however many they are; answers how to end all. What fails is tried again; the log gets the first of a row of failures and the end of it.
 */
export async function sweepRegularly(sweeper: Sweeper, everyMs: number, log: Log): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const { signal } = stop;
  const loops = [
    repeat({ step: () => sweeper.run(), what: 'the sweep', everyMs, signal, log }),
    repeat({
      step: () => sweeper.notify(signal),
      what: 'the sending of notifications',
      everyMs: lookEveryMs,
      signal,
      log,
    }),
    repeat({
      step: () => sweeper.emptyMounts(signal),
      what: 'the emptying of disabled mounts',
      everyMs: lookEveryMs,
      signal,
      log,
    }),
    repeat({
      step: () => sweeper.dropTokens(signal),
      what: 'the removal of ended tokens',
      everyMs: lookEveryMs,
      signal,
      log,
    }),
  ];
  return async () => {
    stop.abort();
    await Promise.all(loops);
    await sweeper.close();
  };
}

interface Loop {
  readonly step: () => Promise<unknown>;
  /** In the lines of the log. */
  readonly what: string;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

async function repeat({ step, what, everyMs, signal, log }: Loop): Promise<void> {
  let failing = false;
  while (!signal.aborted) {
    const failure = await failureOf(step);
    if (failure !== undefined && !failing) log.warn(failure, `${what} fails; it is tried again`);
    if (failure === undefined && failing) log.info({}, `${what} works again`);
    failing = failure !== undefined;
    await pause(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Fields of a line about it. */
const failureOf = (step: () => Promise<unknown>): Promise<object | undefined> =>
  step().then(
    () => undefined,
    (error: unknown) => outageOf(error) ?? { error: String(error) },
  );
