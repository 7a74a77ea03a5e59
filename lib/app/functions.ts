import { readConfig } from '#core/config.ts';
import { openFunctionLog } from '#core/log/open.ts';
import { answersEvents, type LambdaHttpEvent, type LambdaHttpResult } from '#http/wire/lambda.ts';
import type { GivenFilter } from '#sync/batches/replay/filter.ts';
import type { Destination } from '#sync/drivers/drivers.ts';
import { openApi } from './api/open.ts';
import { cached } from './cached.ts';
import type { AppParts } from './shared.ts';
import { openSweeper, type Sweeper } from './sweeper.ts';
import { openDrainer } from './workers.ts';

/** What the platform tells a function about its invocation. */
export interface FunctionContext {
  getRemainingTimeInMillis(): number;
}

/** A batch of doorbell messages. Their content does not matter: each means that there is work. */
export interface DoorbellEvent {
  readonly Records?: readonly { readonly messageId: string }[];
}

export interface DoorbellResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** Reserved for the last ring and the answer before the platform ends the function, in milliseconds. */
const answerMs = 5_000;

/**
 * The worker of one destination type, woken by its doorbell queue. It drains the queue. The messages return to the queue only when
 * the drain itself failed, because the sync handles a failed push. When called by hand, without messages, it throws instead.
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
      // The platform delivers the messages again after their visibility timeout, and finally moves them to the dead-letter queue.
      return { batchItemFailures: messages.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    }
  };
}

/** The platform does not learn why messages return. */
function reportFailure(cause: unknown): void {
  const error = cause instanceof Error ? cause.message : String(cause);
  openFunctionLog(readConfig()).error({ error }, 'the drain failed; its messages return to the queue');
}

/** The API behind an HTTP API of the platform (payload format 2.0). */
export function apiFunction() {
  const api = cached(openAnswering, { function: 'api' });
  return async (event: LambdaHttpEvent): Promise<LambdaHttpResult> => {
    const { opened } = await api();
    // The platform itself counts requests, so no metrics are logged.
    return opened.answer(event).finally(() => opened.flush());
  };
}

async function openAnswering(parts: AppParts) {
  const { routes, flush } = await openApi(parts);
  return { answer: answersEvents(routes), flush };
}

/** How long a sweep without a context, called by hand, sends notifications. */
const byHandMs = 30_000;

/**
 * One round of the sweep, called by a timer. In parallel, and for as long as the function may run, it sends notifications, removes
 * ended tokens, empties disabled mounts, and tells and sends events of the sync.
 */
export function sweepFunction() {
  const sweeper = cached(openSweeper, { function: 'sweep' });
  return async (_event?: unknown, context?: FunctionContext): Promise<object> => {
    const leftMs = context?.getRemainingTimeInMillis() ?? byHandMs;
    const inTime = AbortSignal.timeout(Math.max(0, leftMs - answerMs));
    const { opened, run } = await sweeper();
    return run(async () => {
      const [swept, notified, dropped, emptied, told, ingested] = await Promise.allSettled([
        opened.run(),
        opened.notify(inTime),
        opened.dropTokens(inTime),
        opened.emptyMounts(inTime),
        tellAndSend(opened, inTime),
        opened.ingest(inTime).then(() => opened.postStatuses(inTime)),
      ]);
      if (swept.status === 'rejected') throw swept.reason;
      if (notified.status === 'rejected') throw notified.reason;
      if (dropped.status === 'rejected') throw dropped.reason;
      if (emptied.status === 'rejected') throw emptied.reason;
      if (told.status === 'rejected') throw told.reason;
      if (ingested.status === 'rejected') throw ingested.reason;
      const counts = { notified: notified.value, dropped: dropped.value, emptied: emptied.value, told: told.value };
      return { ...swept.value, ...counts };
    });
  };
}

/** Events of the sync are sent in the same invocation: the next one may come much later. Returns how many were told. */
async function tellAndSend(sweeper: Sweeper, signal: AbortSignal): Promise<number> {
  const told = await sweeper.tell(signal);
  await sweeper.sendNotices(signal);
  return told;
}

/**
 * Replays failed syncs, called by hand or by a timer. If the answer has a cursor, there is more: pass the cursor in the next
 * event. A timer needs no cursor, because replayed syncs are no longer failed.
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
