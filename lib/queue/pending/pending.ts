import type { Redis } from 'ioredis';
import type { Clock } from '../../core/clock.ts';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { Operation } from '../contract.ts';
import { addition, type Jobs, type Keys } from '../parts.ts';
import { numbers, reach, run } from '../redis/call.ts';
import { askScript, finishScript, forgetScript, missingScript, releaseScript, reserveScript } from './scripts.ts';

/** Two looks at an entry that nobody needs are at least this far apart before it goes: a change may be about to commit. */
const doubtMs = 10_000;
/** A doubt that is not looked at again is dropped. A sweep each minute needs hours for a million entries. */
const doubtMsMax = 86_400_000;
const sliceSize = 500;

/** Which operations wait or are in work, over all types and processes. */
export interface Pending {
  /** Reserves capacity for each and notes its generation; answers per operation whether it was accepted. At most 1,000. */
  ask(operations: readonly Operation[], capacity: number): Promise<readonly boolean[]>;
  reserve(operation: Operation, capacity: number): Promise<boolean>;
  release(id: string, generation: number): Promise<void>;
  count(): Promise<number>;
  missing(operations: readonly Operation[]): Promise<readonly string[]>;
  forget(cursor: string, isDirty: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<string>;
}

/** Without a clock the time of Redis counts, which is one for all processes. */
export function openPending(redis: Redis, keys: Keys, clock?: Clock): Pending {
  return {
    async ask(operations, capacity) {
      const args = operations.flatMap(({ id, generation }) => [id, generation]);
      return numbers(await run(redis, askScript, [keys.pending], [capacity, ...args])).map((accepts) => accepts === 1);
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
 * What is left of an operation when its handler is done with `generation`: `gone`; `succeeded`: something newer is asked for
 * and its job comes when this one ends; `bare`: something newer is asked for and has no job.
 */
export type Finished = 'gone' | 'succeeded' | 'bare';
export type Finish = (id: string, generation: number) => Promise<Finished>;

const finished: readonly Finished[] = ['gone', 'succeeded', 'bare'];

/**
 * Takes operations off and notifies who waits for them; what many handlers of a process finish at once goes in one round trip.
 * Who misses it asks the store at its time-out.
 */
export function finishing(redis: Redis, keys: Keys, type: string): Finish {
  const finish = coalesce(
    async (done: readonly { readonly id: string; readonly generation: number }[]) => {
      const args = done.flatMap(({ id, generation }) => [id, generation]);
      const begins = [keys.successor(type, ''), keys.channel('')];
      const answer = numbers(await run(redis, finishScript, [keys.pending], [...begins, ...args]));
      return answer.map((state) => finished[state] ?? 'bare');
    },
    { batchSizeMax: 200, batchesMax: 4 },
  );
  return (id, generation) => finish({ id, generation });
}

/** A script blocks Redis for everyone while it runs, so it gets its operations in pieces. */
export const chunkSize = 1_000;

/**
 * Reserves capacity, then adds jobs. A process that dies between the two leaves entries without a job, which `missing` finds. The
 * same operation may be given twice, also by two processes at once.
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
    const answers = await pending.ask(chunk, capacity);
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
