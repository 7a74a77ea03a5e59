import { AppError } from '#core/errors.ts';
import type { Operation } from '#queue/contract.ts';
import type { SyncParts } from '../parts.ts';

interface WithOperations {
  readonly operations: readonly Operation[];
}

/**
 * Runs `work` with queue capacity reserved for these operations, and releases the capacity that it does not use. The sweep releases
 * capacity left behind by a process that died, or by a reservation whose reply was lost.
 *
 * @throws AppError `unavailable` before `work` when there is no capacity, or no queue
 */
export async function withReservation<Answer extends WithOperations>(
  { queue }: Pick<SyncParts, 'queue'>,
  operations: readonly Operation[],
  capacity: number,
  work: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const reserved: Operation[] = [];
  let used: ReadonlySet<string> = new Set();
  try {
    for (const operation of operations) {
      if (!(await queue.reserve(operation, capacity))) throw full(capacity);
      reserved.push(operation);
    }
    const answer = await work();
    used = new Set(answer?.operations.map(({ id }) => id));
    return answer;
  } finally {
    const unused = reserved.filter(({ id }) => !used.has(id));
    await Promise.all(unused.map(({ id, generation }) => queue.release(id, generation).catch(() => {})));
  }
}

const full = (capacity: number): AppError =>
  new AppError(
    'unavailable',
    `the sync queue is full (queue_capacity ${capacity}): nothing was changed; try again when operations have completed, or raise queue_capacity in sys/sync/config`,
  );
