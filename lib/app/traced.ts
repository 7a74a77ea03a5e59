import type { Tracing } from '../core/trace.ts';
import type { Driver } from '../destinations/contract.ts';
import type { Queue } from '../queue/contract.ts';

/** A queue whose jobs know the request that asked for them. As it was where nothing is traced. */
export function tracedQueue<Open extends Pick<Queue, 'enqueue'>>(queue: Open, tracing: Tracing): Open {
  if (!tracing.on) return queue;
  const enqueue: Queue['enqueue'] = (operations, capacity) =>
    tracing.span('enqueue', { kind: 'producer', attributes: { count: operations.length } }, async (span) => {
      const traceparent = tracing.traceparent();
      const answer = await queue.enqueue(
        operations.map((operation) => ({ ...operation, traceparent })),
        capacity,
      );
      span.tell({ refused: answer.refused.length });
      return answer;
    });
  return { ...queue, enqueue };
}

/** A driver whose calls are spans, without the names of the objects. As it was where nothing is traced. */
export function tracedDriver(driver: Driver | undefined, type: string, tracing: Tracing): Driver | undefined {
  if (driver === undefined || !tracing.on) return driver;
  const { putMany } = driver;
  const span = <Result>(verb: string, count: number, work: () => Promise<Result>) =>
    tracing.span(verb, { kind: 'client', attributes: { type, count } }, work);
  return {
    ...driver,
    put: (item, signal) => span('put', 1, () => driver.put(item, signal)),
    remove: (item, signal) => span('remove', 1, () => driver.remove(item, signal)),
    inspect: (name, signal) => span('inspect', 1, () => driver.inspect(name, signal)),
    ...(putMany && {
      putMany: (items, signal) => span('put', items.length, () => putMany.call(driver, items, signal)),
    }),
    close: () => driver.close(),
  };
}
