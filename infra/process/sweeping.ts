import { setTimeout as pause } from 'node:timers/promises';
import type { Sweeper } from '#app.ts';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';

/** Pause before the next look for notifications and for expired or used-up tokens. */
const lookEveryMs = 1_000;
/** Pause before the next look for events of the sync. */
const tellEveryMs = 2_000;

/**
 * Runs the rounds one after the other, and independently of them the notifications of workspaces, whose receivers must not delay a round,
 * the fetching of repositories and the statuses of their commits,
 * the events of the sync and their notifications, the emptying of disabled mounts, and the removal of expired and used-up tokens. Returns a function that ends all of them. A failing
 * step is retried; the log gets the first of consecutive failures and the recovery.
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
      step: () => sweeper.ingest(signal),
      what: 'the fetching of repositories',
      everyMs: lookEveryMs,
      signal,
      log,
    }),
    repeat({
      step: () => sweeper.postStatuses(signal),
      what: 'the posting of commit statuses',
      everyMs: lookEveryMs,
      signal,
      log,
    }),
    repeat({ step: () => sweeper.tell(signal), what: 'the telling of events', everyMs: tellEveryMs, signal, log }),
    repeat({
      step: () => sweeper.sendNotices(signal),
      what: 'the sending of notifications of the sync',
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
  /** The name of the step in the log. */
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

/** Fields of a log line about it. */
const failureOf = (step: () => Promise<unknown>): Promise<object | undefined> =>
  step().then(
    () => undefined,
    (error: unknown) => outageOf(error) ?? { error: String(error) },
  );
