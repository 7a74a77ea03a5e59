import type { Redis } from 'ioredis';
import type { Clock } from '#core/clock.ts';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { Operation } from '../contract.ts';
import { addition, type Jobs, type Keys } from '../parts.ts';
import { numbers, reach, run } from '../redis/call.ts';
import {
  finishScript,
  forgetScript,
  missingScript,
  releaseScript,
  reserveManyScript,
  reserveScript,
} from './scripts.ts';

/** Time between two checks that must both find an entry obsolete before it is removed: a change may be about to commit. */
const doubtMs = 10_000;
/** A first finding that was not checked again is dropped after this time. With one sweep per minute, a million entries take hours. */
const doubtMsMax = 86_400_000;
const sliceSize = 500;

/** The operations that are waiting or in progress, over all types and processes. */
export interface Pending {
  /** Takes capacity for each operation and records its generation. Returns per operation whether it was accepted. At most 1,000. */
  reserveMany(operations: readonly Operation[], capacity: number): Promise<readonly boolean[]>;
  reserve(operation: Operation, capacity: number): Promise<boolean>;
  release(id: string, generation: number): Promise<void>;
  count(): Promise<number>;
  missing(operations: readonly Operation[]): Promise<readonly string[]>;
  forget(cursor: string, isDirty: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<string>;
}

/** Without a clock, the time of Redis is used, which is the same for all processes. */
export function openPending(redis: Redis, keys: Keys, clock?: Clock): Pending {
  return {
    async reserveMany(operations, capacity) {
      const args = operations.flatMap(({ id, generation }) => [id, generation]);
      const answer = numbers(await run(redis, reserveManyScript, [keys.pending], [capacity, ...args]));
      return answer.map((accepted) => accepted === 1);
    },
    async reserve({ id, generation }, capacity) {
      return (await run(redis, reserveScript, [keys.pending], [capacity, id, generation])) === 1;
    },
    async release(id, generation) {
      await run(redis, releaseScript, [keys.pending], [id, generation]);
    },
    count: () => redis.hlen(keys.pending),
    async missing(operations) {
      const args = operations.flatMap(({ id, type }) => [id, keys.jobs(type)]);
      const answer = numbers(await run(redis, missingScript, [keys.pending], args));
      return operations.filter((_, index) => answer[index] === 1).map(({ id }) => id);
    },
    async forget(cursor, isDirty) {
      const [next, flat] = await reach(() => redis.hscan(keys.pending, cursor, 'COUNT', sliceSize));
      const entries = pairs(flat);
      if (entries.length === 0) return next;
      const dirty = await isDirty(entries.map(([id]) => id));
      const args = entries.flatMap(([id, value]) => [id, value, dirty.has(id) ? 1 : 0]);
      const times = [clock?.now().getTime() ?? '', doubtMs, doubtMsMax];
      await reach(() => run(redis, forgetScript, [keys.pending, keys.doubted], [...times, ...args]));
      return next;
    },
  };
}

function pairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) found.push([flat[index] ?? '', flat[index + 1] ?? '']);
  return found;
}

/**
 * The state of an operation after its handler has finished `generation`. `removed`: nothing newer is requested. `has-successor`: a
 * newer generation is requested, and its job starts when this one ends. `needs-job`: a newer generation is requested but has no job.
 */
export type Finished = 'removed' | 'has-successor' | 'needs-job';
export type Finish = (id: string, generation: number) => Promise<Finished>;

const finished: readonly Finished[] = ['removed', 'has-successor', 'needs-job'];

/**
 * Removes finished operations and notifies waiting callers. Operations that several handlers of a process finish at the same time share
 * one round trip. A caller that misses the notification reads the store at its timeout.
 */
export function finishing(redis: Redis, keys: Keys, type: string): Finish {
  const finish = coalesce(
    async (done: readonly { readonly id: string; readonly generation: number }[]) => {
      const args = done.flatMap(({ id, generation }) => [id, generation]);
      const prefixes = [keys.successor(type, ''), keys.channel('')];
      const answer = numbers(await run(redis, finishScript, [keys.pending], [...prefixes, ...args]));
      return answer.map((state) => finished[state] ?? 'needs-job');
    },
    { batchSizeMax: 200, batchesMax: 4 },
  );
  return (id, generation) => finish({ id, generation });
}

/** A running script blocks Redis, so operations are passed in chunks. */
export const chunkSize = 1_000;

/**
 * Reserves capacity, then adds jobs. If the process dies in between, entries without a job remain, which `missing` finds. The same
 * operation may be enqueued twice, even by two processes at the same time.
 */
export async function enqueue(
  pending: Pending,
  jobsOf: (type: string) => Jobs,
  operations: readonly Operation[],
  capacity: number,
): Promise<{ readonly refused: readonly string[]; readonly types: ReadonlySet<string> }> {
  const refused: string[] = [];
  const types = new Set<string>();
  for (const chunk of chunks(operations)) {
    const answers = await pending.reserveMany(chunk, capacity);
    const accepted = chunk.filter((_, index) => answers[index]);
    for (const { id } of chunk.filter((_, index) => !answers[index])) refused.push(id);
    for (const [type, ofType] of Map.groupBy(accepted, (operation) => operation.type)) {
      await jobsOf(type).addBulk(ofType.map(addition));
      types.add(type);
    }
  }
  return { refused, types };
}

export function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += chunkSize) yield items.slice(from, from + chunkSize);
}
