import { sql } from 'kysely';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { errorLocation } from '#core/log/stack.ts';
import type { Store } from '#store/store.ts';
import type { Finish } from '../model/finish.ts';

/** Successes of a destination are stored at most once in this time by a process; a busy one has thousands. */
const successMs = 1_000;
const notStored = 'the last result of a destination could not be stored';
/** Destinations whose last stored success is remembered. */
const rememberedMax = 10_000;

/** An attempt whose outcome was stored. */
export interface Ended {
  readonly destinationId: string;
  readonly finish: Pick<Finish, 'done' | 'error' | 'attempt'>;
}

interface Result {
  readonly id: string;
  readonly succeeded: boolean;
  readonly error: string | null;
  readonly requestId: string | null;
}

export type KeepResults = (ended: readonly Ended[]) => Promise<void>;

/**
 * Stores when attempts at a destination last succeeded and why they last failed. A success is an attempt that made calls and left nothing
 * to do. A result that cannot be stored is logged and lost: the outcomes themselves are stored already, and a newer result follows.
 */
export function destinationResults(store: Store, log: Log, nowMs = () => performance.now()): KeepResults {
  const storedAt = new Map<string, number>();
  const isDue = (id: string) => nowMs() - (storedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= successMs;
  const remember = (id: string) => {
    storedAt.delete(id);
    storedAt.set(id, nowMs());
    const [oldest] = storedAt.keys();
    if (storedAt.size > rememberedMax && oldest !== undefined) storedAt.delete(oldest);
  };
  return async (ended) => {
    const results = resultsOf(ended).filter(({ id, succeeded, error }) => error !== null || (succeeded && isDue(id)));
    if (results.length === 0) return;
    for (const { id, succeeded } of results) if (succeeded) remember(id);
    await storeResults(results)
      .execute(store.db)
      .catch((cause: unknown) => log.warn(outageOf(cause) ?? errorLocation(cause), notStored));
  };
}

/** One result per destination, in the order of their ids, so that concurrent statements do not wait for each other in a circle. */
function resultsOf(ended: readonly Ended[]): readonly Result[] {
  const groups = [...Map.groupBy(ended, ({ destinationId }) => destinationId)];
  return groups
    .map(([id, attempts]) => {
      const failed = attempts.findLast(({ finish }) => finish.error !== null)?.finish;
      return {
        id,
        succeeded: attempts.some(({ finish }) => finish.done && finish.error === null && finish.attempt.calls > 0),
        error: failed === undefined ? null : JSON.stringify(failed.error),
        requestId: failed?.attempt.requestId ?? null,
      };
    })
    .sort((a, b) => Number(a.id) - Number(b.id));
}

/** A destination that was deleted meanwhile is left out. */
const storeResults = (results: readonly Result[]) => sql`
  insert into destination_results as r
         (destination_id, last_success_at, last_error_at, last_error, last_error_request_id)
  select d.id, case when i.succeeded then now() end, case when i.error is not null then now() end, i.error, i.request_id
    from unnest(${results.map(({ id }) => id)}::bigint[], ${results.map(({ succeeded }) => succeeded)}::boolean[],
                ${results.map(({ error }) => error)}::jsonb[], ${results.map(({ requestId }) => requestId)}::text[])
      as i (id, succeeded, error, request_id)
    join destinations d on d.id = i.id
   order by d.id
      on conflict (destination_id) do update
     set last_success_at = greatest(r.last_success_at, excluded.last_success_at),
         last_error_at = coalesce(excluded.last_error_at, r.last_error_at),
         last_error = coalesce(excluded.last_error, r.last_error),
         last_error_request_id = case when excluded.last_error is null then r.last_error_request_id
                                      else excluded.last_error_request_id end`;
