import { readConfig } from '../core/config.ts';
import { openLog } from '../core/open-log.ts';
import { answerLambda, type LambdaHttpEvent, type LambdaHttpResult } from '../http/lambda.ts';
import type { Destination } from '../sync/drivers.ts';
import { toStatus } from '../sync/status.ts';
import { openApi } from './api.ts';
import type { AppParts } from './shared.ts';
import { openSweeper } from './sweeper.ts';
import { openDrainer } from './workers.ts';

/** What the platform tells a function of its own run. */
export interface FunctionContext {
  getRemainingTimeInMillis(): number;
}

/** A batch of doorbell messages. What they hold does not matter: each says that there is work. */
export interface DoorbellEvent {
  readonly Records?: readonly { readonly messageId: string }[];
}

export interface DoorbellResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Left for the last ring and the way back before the platform ends the function, in milliseconds. */
const answerMs = 5_000;

/** What a function keeps between its runs is opened by the first one; an opening that failed is tried again by the next. */
function kept<T>(open: (parts: AppParts) => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    if (opened !== undefined) return opened;
    const config = readConfig();
    const attempt = open({ config, log: openLog(config) });
    opened = attempt;
    attempt.catch(() => {
      opened = undefined;
    });
    return attempt;
  };
}

/**
 * The worker of one destination type, woken by its doorbell queue. It drains the queue; the messages come back only when the
 * drain itself failed, since a failed push is the sync's own business. Called without messages, by hand, it then fails.
 */
export function workerFunction(destination: Destination) {
  const drainer = kept((parts) => openDrainer(parts, destination));
  return async (event: DoorbellEvent, context: FunctionContext): Promise<DoorbellResult> => {
    const { Records: messages = [] } = event;
    try {
      const deadline = new Date(Date.now() + context.getRemainingTimeInMillis() - answerMs);
      await (await drainer()).drain(deadline);
      return { batchItemFailures: [] };
    } catch (cause) {
      if (messages.length === 0) throw cause;
      tellFailure(cause);
      // The platform gives the messages back after their time-out, and to the dead-letter queue in the end.
      return { batchItemFailures: messages.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    }
  };
}

/** The platform does not see why messages come back. */
function tellFailure(cause: unknown): void {
  const error = cause instanceof Error ? cause.message : String(cause);
  openLog(readConfig()).error({ error }, 'the drain failed; its messages come back');
}

/** The API behind an HTTP API of the platform (payload format 2.0). */
export function apiFunction() {
  const api = kept(openApi);
  return async (event: LambdaHttpEvent): Promise<LambdaHttpResult> => answerLambda((await api()).inject, event);
}

/** One round of the sweep, called by a timer. */
export function sweepFunction() {
  const sweeper = kept(openSweeper);
  return async (): Promise<object> => (await sweeper()).run();
}

/** Replays failed syncs, called by hand or by a timer. */
export function replayFunction() {
  const sweeper = kept(openSweeper);
  return async (event: { readonly type?: string; readonly name?: string; readonly sync_status?: string } = {}) => {
    const { type, name, sync_status } = event;
    const syncStatus = sync_status === undefined ? undefined : toStatus(sync_status);
    const replayed = await (await sweeper()).replay({ type, name, syncStatus });
    return { queued: replayed, replayed };
  };
}
