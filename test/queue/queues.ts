import { systemClock } from '../../lib/core/clock.ts';
import { type Log, silentLog } from '../../lib/core/log.ts';
import type { Operation } from '../../lib/queue/contract.ts';
import { openQueue, type QueueOptions, type SyncQueue } from '../../lib/queue/open.ts';
import { patience } from '../support/patience.ts';
import { ending, testRedis } from '../support/services.ts';

export const type = 'cloud-a-sm';
export const otherType = 'repo-host';
/** Long enough for a machine that is busy; tests of locks take their own. */
export const lockMs = 10_000;

/** No command fails because the machine is slow. */
export const patientLimits = { commandMsMax: patience.conditionMs };

/** For drains that end because there is nothing left. */
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

/** Something that a test waits for and then lets go on. */
export function gateway(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Waits until the condition holds; the test's own time-out is the bound. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Has the association's operation worked off by a consumer that does nothing, which notifies who waits for it. */
export async function announce(queue: SyncQueue, id: string): Promise<void> {
  const consumer = queue.consume(type, async () => ({ kind: 'done', generation: 1 }), { concurrency: 1, lockMs });
  await queue.enqueue([operation(id)], 1_000);
  await until(async () => (await queue.pendingCount()) === 0);
  await consumer.close(1_000);
}
