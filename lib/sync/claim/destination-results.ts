import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { errorLocation } from '#core/log/stack.ts';
import type { Store } from '#store/store.ts';
import type { Finish } from '../model/finish.ts';
import { type Result, storeResults } from './result-statement.ts';

/** Successes of a destination are stored at most once in this time by a process; a busy one has thousands. */
const successMs = 1_000;
const notStored = 'the last result of a destination could not be stored';
/** Destinations whose last stored success is remembered, and those whose results wait. */
const rememberedMax = 10_000;

/** An attempt whose outcome was stored. */
export interface Ended {
  readonly destinationId: string;
  readonly finish: Pick<Finish, 'done' | 'error' | 'attempt'>;
}

export interface DestinationResults {
  keep(ended: readonly Ended[]): Promise<void>;
  /** Stores what waits. A function calls it before it may be frozen, a process before it ends. */
  flush(): Promise<void>;
}

/**
 * Stores when attempts at destinations last succeeded and why they last failed, and counts them for the samples. A success is an attempt
 * that made calls and left nothing to do. Results that cannot be stored are logged and lost: the outcomes themselves are stored already.
 */
export function destinationResults(store: Store, log: Log, nowMs = () => performance.now()): DestinationResults {
  const storedAt = new Map<string, number>();
  const waiting = new Map<string, Result>();
  let timer: NodeJS.Timeout | undefined;
  const isDue = (id: string) => nowMs() - (storedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= successMs;
  const remember = (id: string) => {
    storedAt.delete(id);
    storedAt.set(id, nowMs());
    const [oldest] = storedAt.keys();
    if (storedAt.size > rememberedMax && oldest !== undefined) storedAt.delete(oldest);
  };
  const write = async (results: readonly Result[]): Promise<void> => {
    if (results.length === 0) return;
    for (const { id, done } of results) {
      waiting.delete(id);
      if (done > 0) remember(id);
    }
    await storeResults(results)
      .execute(store.db)
      .catch((cause: unknown) => log.warn(outageOf(cause) ?? errorLocation(cause), notStored));
  };
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    await write(sorted([...waiting.values()]));
  };
  return {
    flush,
    async keep(ended) {
      const found = resultsOf(ended).map((result) => added(waiting.get(result.id), result));
      for (const result of found) waiting.set(result.id, result);
      if (waiting.size > rememberedMax) return flush();
      await write(sorted(found.filter(({ id, error }) => error !== null || isDue(id))));
      if (waiting.size > 0) timer ??= setTimeout(() => void flush(), successMs).unref();
    },
  };
}

const resultsOf = (ended: readonly Ended[]): readonly Result[] =>
  [...Map.groupBy(ended, ({ destinationId }) => destinationId)].map(([id, attempts]) => {
    const failures = attempts.flatMap(({ finish }) => (finish.error === null ? [] : [finish]));
    const good = attempts.filter(({ finish }) => finish.done && finish.error === null);
    const last = failures.at(-1);
    return {
      id,
      succeeded: good.some(({ finish }) => finish.attempt.calls > 0),
      error: last === undefined ? null : JSON.stringify(last.error),
      requestId: last?.attempt.requestId ?? null,
      done: good.length,
      failed: failures.length,
      errors: countsOf(failures.flatMap(({ error }) => error?.kind ?? [])),
    };
  });

const countsOf = (kinds: readonly string[]): Result['errors'] =>
  Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, same]) => [kind, same.length]));

/** Only successes wait, so the later result has the last error. */
const added = (earlier: Result | undefined, later: Result): Result =>
  earlier === undefined
    ? later
    : { ...later, succeeded: earlier.succeeded || later.succeeded, done: earlier.done + later.done };

/** In the order of their ids, so that concurrent statements do not wait for each other in a circle. */
const sorted = (results: readonly Result[]): readonly Result[] =>
  results.toSorted((one, other) => Number(one.id) - Number(other.id));
