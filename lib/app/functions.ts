import { readConfig } from '../core/config.ts';
import { openLog } from '../core/log/open.ts';
import { answersEvents, type LambdaHttpEvent, type LambdaHttpResult } from '../http/wire/lambda.ts';
import type { Destination } from '../sync/drivers/drivers.ts';
import type { GivenFilter } from '../sync/replay/filter.ts';
import { openApi } from './api/open.ts';
import { cached } from './cached.ts';
import type { AppParts } from './shared.ts';
import { openSweeper } from './sweeper.ts';
import { openDrainer } from './workers.ts';

/** What the platform reports to a function about its own run. */
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

/**
 * The worker of one destination type, woken by its doorbell queue. It drains the queue; the messages come back only when the
 * drain itself failed, since a failed push is the sync's own business. Called without messages, by hand, it then fails.
 */
export function workerFunction(destination: Destination) {
  const { type } = destination.definition;
  const drainer = cached((parts) => openDrainer(parts, destination), { function: 'worker', type });
  return async (event: DoorbellEvent, context: FunctionContext): Promise<DoorbellResult> => {
    const { Records: messages = [] } = event;
    try {
      const deadline = new Date(Date.now() + context.getRemainingTimeInMillis() - answerMs);
      const { opened, run } = await drainer();
      await run(() => opened.drain(deadline));
      return { batchItemFailures: [] };
    } catch (cause) {
      if (messages.length === 0) throw cause;
      reportFailure(cause);
      // The platform gives the messages back after their time-out, and to the dead-letter queue in the end.
      return { batchItemFailures: messages.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    }
  };
}

/** The platform does not see why messages come back. */
function reportFailure(cause: unknown): void {
  const error = cause instanceof Error ? cause.message : String(cause);
  openLog(readConfig()).error({ error }, 'the drain failed; its messages come back');
}

/** The API behind an HTTP API of the platform (payload format 2.0). */
export function apiFunction() {
  const api = cached(openAnswering, { function: 'api' });
  return async (event: LambdaHttpEvent): Promise<LambdaHttpResult> => {
    const { opened } = await api();
    // The platform counts requests itself.
    return opened.answer(event).finally(() => opened.flush());
  };
}

async function openAnswering(parts: AppParts) {
  const { routes, flush } = await openApi(parts);
  return { answer: answersEvents(routes), flush };
}

/** How long a sweep that is called without a context sends notifications. */
const byHandMs = 30_000;

/**
 * One round of the sweep, called by a timer, and beside it the notifications, the removal of ended tokens and the emptying of
 * disabled mounts, for as long as the function may run.
 */
export function sweepFunction() {
  const sweeper = cached(openSweeper, { function: 'sweep' });
  return async (_event?: unknown, context?: FunctionContext): Promise<object> => {
    const leftMs = context?.getRemainingTimeInMillis() ?? byHandMs;
    const inTime = AbortSignal.timeout(Math.max(0, leftMs - answerMs));
    const { opened, run } = await sweeper();
    return run(async () => {
      const [swept, notified, dropped, emptied] = await Promise.allSettled([
        opened.run(),
        opened.notify(inTime),
        opened.dropTokens(inTime),
        opened.emptyMounts(inTime),
      ]);
      if (swept.status === 'rejected') throw swept.reason;
      if (notified.status === 'rejected') throw notified.reason;
      if (dropped.status === 'rejected') throw dropped.reason;
      if (emptied.status === 'rejected') throw emptied.reason;
      return { ...swept.value, notified: notified.value, dropped: dropped.value, emptied: emptied.value };
    });
  };
}

/**
 * Replays failed syncs, called by hand or by a timer. An answer with a cursor is not through: it goes into the next event.
 * What failed and was replayed has failed no more, so a timer goes on without.
 */
export function replayFunction() {
  const sweeper = cached(openSweeper, { function: 'replay' });
  return async (event: GivenFilter = {}, context: FunctionContext): Promise<object> => {
    const { type, name, sync_status, cursor } = event;
    const inTime = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - answerMs));
    const { opened } = await sweeper();
    const replayed = opened.replay({ type, name, sync_status, cursor }, inTime);
    const { warnings, ...done } = await replayed.finally(() => opened.flush());
    return warnings.length === 0 ? done : { ...done, warnings };
  };
}
