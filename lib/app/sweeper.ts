import { dropOldFailures } from '../auth/lockout/store.ts';
import { methods } from '../auth/methods/index.ts';
import { expireLogins } from '../auth/methods/open.ts';
import { dropExpiredMfa } from '../auth/mfa/sweep.ts';
import { dropExpired, dropExpiredSteadily } from '../auth/token/revoke/revoke.ts';
import { smtpOf } from '../core/config.ts';
import { definitions } from '../destinations/index.ts';
import { engines } from '../engines/index.ts';
import { expireSecrets } from '../engines/list.ts';
import { endNamespaces } from '../engines/mounts/namespaces/remove.ts';
import { continueRemovals } from '../engines/mounts/removal/continue.ts';
import { type GivenFilter, replayFilter } from '../sync/replay/filter.ts';
import { type Replayed, replay } from '../sync/replay/replay.ts';
import { newSweepState, sweep } from '../sync/sweep/sweep.ts';
import { sweepTelemetry } from '../telemetry/sweep.ts';
import { openWorkspaceSweep } from '../workspaces/sweep.ts';
import { readService } from './readings.ts';
import { type AppParts, type Closable, openShared } from './shared.ts';

/** The sweep, and the replay, which share what they stand on. */
export interface Sweeper extends Closable {
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  /** One round. */
  run(): Promise<object>;
  /** Sends notifications of workspaces until nothing may be sent now, or `signal` ends: beside the rounds, which do not wait for it. */
  notify(signal: AbortSignal): Promise<number>;
  /** Empties mounts that were disabled until none is left, or `signal` ends: beside the rounds, which do a second of it each. */
  emptyMounts(signal: AbortSignal): Promise<number>;
  /** Deletes tokens that have ended until none is left, or `signal` ends: beside the rounds, which take a few of them each. */
  dropTokens(signal: AbortSignal): Promise<number>;
  /**
   * Begins no further page once `signal` has ended.
   *
   * @throws AppError `bad-request` for a filter that cannot be meant
   */
  replay(filter: GivenFilter, signal: AbortSignal): Promise<Replayed>;
}

/** How many expired things one round takes of each kind. */
const expiredPerRoundMax = 1_000;
/** For so long one round empties mounts, in milliseconds. */
const removalMsMax = 1_000;

export async function openSweeper(parts: AppParts): Promise<Sweeper> {
  const shared = await openShared(parts, 'another-process');
  const { store, queue, bell, changed, networkBounds } = shared;
  const workspaces = openWorkspaceSweep({
    ...{ store, networkBounds },
    auditTrailDays: parts.config.KEYFERRY_AUDIT_TRAIL_DAYS,
    smtp: smtpOf(parts.config),
  });
  const gauges = readService(parts, shared);
  const observed = sweepTelemetry(shared, shared.clock);
  const state = newSweepState();
  const removal = { store, engines: [...engines, ...methods], changed, log: parts.log };
  const expire = () => expireSecrets(engines, store, expiredPerRoundMax);
  return {
    run: observed(async () => {
      // A function may have slept since it was unsealed.
      await store.seal.refresh();
      if (store.seal.state() !== 'ready') return { sealed: true };
      await store.seal.rotateIfDue();
      await store.seal.rewrapIfDue();
      await endNamespaces(removal);
      await continueRemovals(removal, AbortSignal.timeout(removalMsMax));
      const swept = await sweep({ store, queue, log: parts.log, changed, expire }, state);
      // A worker function sleeps until it is rung for: also for what was delayed, and what a dead one left behind.
      if (bell !== undefined) await queue.wake();
      await dropOldFailures(store, expiredPerRoundMax);
      await expireLogins(methods, store, expiredPerRoundMax);
      await dropExpiredMfa(store, expiredPerRoundMax);
      await workspaces.run(expiredPerRoundMax);
      return { ...swept, tokens: await dropExpired(store, expiredPerRoundMax, parts.log) };
    }),
    notify: async (signal) => (store.seal.state() === 'ready' ? workspaces.notify(signal) : 0),
    emptyMounts: async (signal) => (store.seal.state() === 'ready' ? continueRemovals(removal, signal) : 0),
    dropTokens: async (signal) => (store.seal.state() === 'ready' ? dropExpiredSteadily(store, signal, parts.log) : 0),
    replay: async (filter, signal) =>
      replay({ store, queue, log: parts.log, definitions }, replayFilter(definitions, filter), signal),
    flush: shared.flush,
    async close() {
      gauges.close();
      await workspaces.close();
      await shared.close();
    },
  };
}
