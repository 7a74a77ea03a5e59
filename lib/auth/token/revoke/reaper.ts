import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../core/log.ts';
import type { Store } from '../../../store/store.ts';
import { reapedPerStepMax, reapStep } from './reap.ts';

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

export function openReaper({ store, log }: { readonly store: Store; readonly log: Log }): Reaper {
  let running: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let closed = false;
  const aside = new Set<Promise<void>>();

  const pass = async (): Promise<void> => {
    try {
      await reapAll(store, log, () => closed);
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

/** Steps until nothing is left, with a line in the log for every so many of a long pass. Answers how many rows went. */
export async function reapAll(
  store: Store,
  log: Log,
  ended: () => boolean,
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  let [deleted, idle] = [0, 0];
  for (let steps = 1; steps <= stepsMax && idle < idleStepsMax && deleted < rowsMax && !ended(); steps += 1) {
    const step = await reapStep(store);
    if (step.seen === 0) break;
    deleted += step.deleted;
    const isIdle = step.deleted === 0 && step.marked === 0;
    idle = isIdle ? idle + 1 : 0;
    if (isIdle) await delay(pauseMs);
    if (steps % stepsPerLine === 0) log.info({ deleted }, 'revoked tokens are being deleted');
  }
  if (deleted > stepsPerLine * reapedPerStepMax) log.info({ deleted }, 'revoked tokens have been deleted');
  return deleted;
}
