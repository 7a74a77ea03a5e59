import { AppError } from '#core/errors.ts';
import type { Queue } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import { pendingByDestination } from './pending.ts';
import { slotSeconds } from './slots.ts';
import { storeSample } from './take-statement.ts';

export interface SampleParts {
  readonly store: Pick<Store, 'db'>;
  readonly queue: Pick<Queue, 'pendingCount'>;
}

export interface Taken {
  /** False: another sweep has taken the sample of this slot. */
  readonly taken: boolean;
  /** How long this slot goes on. */
  readonly leftMs: number;
}

/** Takes the sample of this slot, unless there is one. */
export async function takeSample({ store, queue }: SampleParts, capacity: number): Promise<Taken> {
  const pending = await pendingByDestination(store);
  const queued = await queue.pendingCount().catch(unlessAway);
  const { rows } = await storeSample(pending, queued, capacity).execute(store.db);
  const [row] = rows;
  return { taken: row?.taken === true, leftMs: row?.left_ms ?? slotSeconds * 1_000 };
}

function unlessAway(cause: unknown): null {
  if (cause instanceof AppError && cause.kind === 'unavailable') return null;
  throw cause;
}
