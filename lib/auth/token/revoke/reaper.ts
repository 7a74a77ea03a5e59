import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../core/log.ts';
import type { Store } from '../../../store/store.ts';
import type { Ending } from './held.ts';
import { reapStep } from './reap.ts';

/** Deletes revoked tokens in the background of a process; the sweep does it for processes that have died. */
export interface Reaper {
  /**
   * Called after a mark was committed. Answers when the rows are gone, or after a few seconds, since the tokens are refused
   * already; it never fails.
   */
  reap(): Promise<void>;
  /** Work that goes on when its request was answered; it must not fail, and ends soon after `ended` says so. */
  background(work: (ended: () => boolean) => Promise<void>): void;
  /** Ends after the step under way. */
  close(): Promise<void>;
}

/** How long a request waits for the rows to go. */
const waitMsMax = 5_000;
/** When others hold what is left. */
const pauseMs = 25;
/** Rows of one pass, and pauses without progress: so a pass ends. */
const stepsMax = 1_000_000;
const idleStepsMax = 40;
const stepsPerLine = 20;
const rowsPerStep = 1_000;

export function openReaper({ store, log }: { readonly store: Store; readonly log: Log }): Reaper {
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let closed = false;
  const aside = new Set<Promise<void>>();

  const pass = async (): Promise<void> => {
    try {
      await reapAll({ store, log, ended: () => closed });
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'revoked tokens are left for the sweep');
    }
  };
  const start = (): Promise<void> => {
    const pending = pass().finally(() => {
      if (running === pending) running = undefined;
    });
    running = pending;
    return pending;
  };
  /** A pass that began before the mark may have seen the end already. */
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
      const pending = work(() => closed).finally(() => aside.delete(pending));
      aside.add(pending);
    },
    async close() {
      closed = true;
      await Promise.all([again ?? running, ...aside]);
    },
  };
}

export interface ReapParts {
  readonly store: Store;
  readonly log: Log;
  /** No further step begins. */
  readonly ended: () => boolean;
}

export interface ReapPace {
  readonly ending?: Ending;
  readonly rowsMax?: number;
  /** The pause after each step, as a share of its time. */
  readonly restShare?: number;
}

/** Steps until nothing is left, with a line in the log for every so many of a long pass. Answers how many rows went. */
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
    // Once around all namespaces.
    if (after === '' && seen === 0) break;
    if (after === '') seen = 0;
    deleted += step.deleted;
    const isIdle = step.seen > 0 && step.deleted === 0 && step.marked === 0;
    idle = isIdle ? idle + 1 : 0;
    await delay(isIdle ? pauseMs : (performance.now() - beganMs) * restShare);
    if (steps % stepsPerLine === 0) log.info({ deleted }, 'ended tokens are being deleted');
  }
  if (deleted > stepsPerLine * rowsPerStep) log.info({ deleted }, 'ended tokens have been deleted');
  return deleted;
}
