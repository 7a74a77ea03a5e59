import type { Tracing } from './tracing.ts';

/** Puts operations in the queue; answers the ids of those that were refused. */
type Enqueue<Operation> = (
  operations: readonly Operation[],
  capacity: number,
) => Promise<{ readonly refused: readonly string[] }>;

/** Jobs that it puts in the queue know the request that asked for them. The same function where nothing is traced. */
export function tracedEnqueue<Operation extends { readonly traceparent?: string | undefined }>(
  enqueue: Enqueue<Operation>,
  tracing: Tracing,
): Enqueue<Operation> {
  if (!tracing.on) return enqueue;
  return (operations, capacity) =>
    tracing.span('enqueue', { kind: 'producer', attributes: { count: operations.length } }, async (span) => {
      const traceparent = tracing.traceparent();
      const answer = await enqueue(
        operations.map((operation) => ({ ...operation, traceparent })),
        capacity,
      );
      span.set({ refused: answer.refused.length });
      return answer;
    });
}
