import { systemClock } from '#core/clock.ts';
import { type Log, silentLog } from '#core/log/log.ts';
import type { Operation } from '#queue/contract.ts';
import { openQueue, type QueueOptions, type SyncQueue } from '#queue/open.ts';
import { patience } from '../support/measures/patience.ts';
import { ending, testRedis } from '../support/services.ts';

export const type = 'cloud-a-sm';
export const otherType = 'repo-host';
/** Long enough for a busy machine; tests of locks use other values. */
export const lockMs = 10_000;

/** Limits under which no command fails because the machine is slow. */
export const patientLimits = { commandMsMax: patience.conditionMs };

/** For drains that end because the queue is empty. */
export const farDeadline = (): Date => new Date(Date.now() + patience.testMs);

/** A queue on the test run's Redis, closed with the test. */
export async function testQueue(
  options: Partial<QueueOptions> = {},
): Promise<SyncQueue & { prefix: string; url: string }> {
  const { url, prefix } = testRedis();
  const usual = { types: [type, otherType], log: silentLog, clock: systemClock, limits: patientLimits };
  const given = { redisUrl: url, prefix, ...usual, ...options };
  const queue = ending(await openQueue(given));
  return Object.assign(queue, { prefix: given.prefix, url: given.redisUrl });
}

export function operation(id: string | number, generation = 1, more: Partial<Operation> = {}): Operation {
  return { id: String(id), type, destination_id: '7', generation, waiting: false, ...more };
}

export const operations = (count: number): readonly Operation[] =>
  Array.from({ length: count }, (_, index) => operation(index + 1));

/** A log that keeps its lines. */
export function keptLog(): Log & { readonly lines: { readonly fields: object; readonly message: string }[] } {
  const lines: { fields: object; message: string }[] = [];
  const keep = (fields: object, message: string) => {
    lines.push({ fields, message });
  };
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

/** A point that a test waits for and then releases. */
export function gateway(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Waits until the condition holds; bounded by the timeout of the test. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Finishes the operation of an association with a consumer that does nothing, so that waiting callers are notified. */
export async function announce(queue: SyncQueue, id: string): Promise<void> {
  const consumer = queue.consume(type, async () => ({ kind: 'done', generation: 1 }), { concurrency: 1, lockMs });
  await queue.enqueue([operation(id)], 1_000);
  await until(async () => (await queue.pendingCount()) === 0);
  await consumer.close(1_000);
}
