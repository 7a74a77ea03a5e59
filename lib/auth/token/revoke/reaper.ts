import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/log/log.ts';
import type { Store } from '#store/store.ts';
import type { Ending } from './held.ts';
import { reapStep } from './reap.ts';

/** Deletes revoked tokens in the background of a process. The sweep completes the work of processes that have died. */
export interface Reaper {
  /**
   * Called after the commit of a mark. Resolves when the rows are deleted, or after a few seconds, since the tokens are refused
   * already. It never fails.
   */
  reap(): Promise<void>;
  /** Runs work that outlives its request. The work must not fail, and has to stop soon after `ended` returns true. */
  background(work: (ended: () => boolean) => Promise<void>): void;
  /** Resolves after the step under way. */
  close(): Promise<void>;
}

/** How long a request waits for the deletion. */
const waitMsMax = 5_000;
/** The pause while other processes have locked the rest. */
const pauseMs = 25;
/** Bounds of one pass: steps, and steps without progress. */
const stepsMax = 1_000_000;
const idleStepsMax = 40;
const stepsPerLine = 20;
const rowsPerStep = 1_000;

export function openReaper({ store, log }: { readonly store: Store; readonly log: Log }): Reaper {
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let closed = false;
  const background = new Set<Promise<void>>();

  const pass = async (): Promise<void> => {
    try {
      await reapAll({ store, log, ended: () => closed });
    } catch (error) {
      log.warn(
        { error: error instanceof Error ? error.name : 'unknown' },
        'deleting revoked tokens failed; the sweep will retry',
      );
    }
  };
  const start = (): Promise<void> => {
    const pending = pass().finally(() => {
      if (running === pending) running = undefined;
    });
    running = pending;
    return pending;
  };
  /** A pass that started before the mark may not see it, so another pass follows. */
  const next = (): Promise<void> => {
    if (running === undefined) return start();
    again ??= running.then(() => {
      again = undefined;
      return start();
    });
    return again;
  };
  return {
    async reap() {
      if (closed) return;
      const enough = new AbortController();
      await Promise.race([next(), delay(waitMsMax, undefined, { signal: enough.signal }).catch(() => {})]);
      enough.abort();
    },
    background(work) {
      const pending = work(() => closed).finally(() => background.delete(pending));
      background.add(pending);
    },
    async close() {
      closed = true;
      await Promise.all([again ?? running, ...background]);
    },
  };
}

export interface ReapParts {
  readonly store: Store;
  readonly log: Log;
  /** True to start no further step. */
  readonly ended: () => boolean;
}

export interface ReapPace {
  readonly ending?: Ending;
  readonly rowsMax?: number;
  /** The pause after each step as a share of the duration of the step. */
  readonly restShare?: number;
}

/** Runs steps until nothing is left, and logs the progress of a long pass. Returns the number of deleted rows. */
export async function reapAll(
  { store, log, ended }: ReapParts,
  { ending = 'revoked', rowsMax = Number.POSITIVE_INFINITY, restShare = 0 }: ReapPace = {},
): Promise<number> {
  let [deleted, idle, seen, after] = [0, 0, 0, ''];
  for (let steps = 1; steps <= stepsMax && idle < idleStepsMax && deleted < rowsMax && !ended(); steps += 1) {
    const beganMs = performance.now();
    const step = await reapStep(store, ending, after);
    after = step.after;
    seen += step.seen;
    // All namespaces have been visited.
    if (after === '' && seen === 0) break;
    if (after === '') seen = 0;
    deleted += step.deleted;
    const isIdle = step.seen > 0 && step.deleted === 0 && step.marked === 0;
    idle = isIdle ? idle + 1 : 0;
    await delay(isIdle ? pauseMs : (performance.now() - beganMs) * restShare);
    if (steps % stepsPerLine === 0) log.info({ deleted }, 'deleting expired and revoked tokens');
  }
  if (deleted > stepsPerLine * rowsPerStep) log.info({ deleted }, 'deleted expired and revoked tokens');
  return deleted;
}
