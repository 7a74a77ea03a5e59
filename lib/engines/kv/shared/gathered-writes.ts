import { type RawBuilder, sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { keyedMutex } from '#core/concurrency/keyed-mutex.ts';
import { notFound } from '#core/errors.ts';
import { isAway } from '#store/postgres/failure.ts';
import type { From } from '#store/sql/prepared.ts';
import { locationsTable, type SecretLocation } from './secret-path.ts';

/** A secret's new content, ready to be stored. */
export interface SealedWrite extends SecretLocation {
  readonly data: Buffer;
}

/** How writes are stored. Undefined means that the write was refused and nothing changed. */
export interface WriteStatements<Write extends SealedWrite, Written> {
  /** One write in one round trip. */
  one(write: Write): Promise<Written | undefined>;
  /** Writes of different secrets in one round trip; each is accepted or refused separately. */
  many(writes: readonly Write[]): Promise<readonly (Written | undefined)[]>;
  /** Repeats a write that was refused, or that failed with others. It may take several round trips; its outcome is final. */
  alone(write: Write): Promise<Written>;
}

/** With few concurrent batches each is large: the next one gathers while one commits. A batch holds at most 4 MiB. */
const limits = { batchSizeMax: 64, batchesMax: 2, gatherMs: 20 };
/** A larger write is sent alone, so that small writes do not wait for it. */
const gatheredBytesMax = 65_536;
/** A write that waits this long for others of the same secret fails, before its client gives up. */
const waitMsMax = 10_000;

/**
 * Sends concurrent writes to the database in one batch and commits them together; a single write is sent at once. Writes of one
 * secret wait for each other here, where waiting holds no connection. If a batch fails, each of its writes is retried alone,
 * unless the database is unavailable.
 *
 * @throws AppError `not-found` when the mount was removed in the meantime
 */
export function gatheredWrites<Write extends SealedWrite, Written>(
  statements: WriteStatements<Write, Written>,
): (write: Write) => Promise<Written> {
  const writeTogether = (writes: readonly Write[]) => writeInOneStatement(statements, writes);
  const gathered = coalesce(writeTogether, limits);
  const write = async (one: Write): Promise<Written> => {
    const written = one.data.length > gatheredBytesMax ? (await writeTogether([one]))[0] : await gathered(one);
    return written ?? whileMounted(() => statements.alone(one));
  };
  return keyedMutex(write, { keyOf: ({ mountId, path }) => `${mountId}/${path}`, waitMsMax });
}

async function writeInOneStatement<Write extends SealedWrite, Written>(
  { one, many }: WriteStatements<Write, Written>,
  writes: readonly Write[],
): Promise<readonly (Written | undefined)[]> {
  const [first] = writes;
  try {
    return writes.length === 1 && first !== undefined ? [await one(first)] : await many(writes);
  } catch (cause) {
    if (isAway(cause)) throw cause;
    return writes.map(() => undefined);
  }
}

/** SQLSTATE of a foreign key violation. */
const parentIsGone = '23503';

/**
 * Runs a write of secrets. If its mount is removed at the same time, the parent row is missing.
 *
 * @throws AppError `not-found` when that happens
 */
export async function whileMounted<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === parentIsGone) throw notFound();
    throw cause;
  }
}

/** A write as a row of a batch. */
export interface TableWrite extends SealedWrite {
  /** Random; binds the data to the row of its version. */
  readonly id: string;
  /** The version it must follow; undefined for any. */
  readonly cas?: number | undefined;
}

/**
 * SQL for a table of the writes of the input, numbered from 1: `n`, `mount_id`, `path`, `id`, `cas`, `now`, `data`. The time is the database's. All
 * data is sent as one value and split by the database; an array of values would be sent as text of twice the size.
 */
export function writesTable(from: From<readonly TableWrite[]>): RawBuilder<unknown> {
  const locations = locationsTable(
    from,
    sql`(select ${from((writes) => writes.map(({ id }) => id))}::uuid[])`,
    sql`(select ${from((writes) => writes.map(({ cas }) => cas ?? null))}::int[])`,
    sql`(select ${from(starts)}::int[])`,
    sql`(select ${from((writes) => writes.map(({ data }) => data.length))}::int[])`,
  );
  const all = from((writes) => Buffer.concat(writes.map(({ data }) => data)));
  return sql`
    select w.n::int as n, w.mount_id, w.path collate "C" as path, w.id, w.cas, statement_timestamp() as now,
           substring(${all}::bytea from w.start for w.length) as data
      from ${locations} as w (mount_id, path, id, cas, start, length, n)`;
}

/** The offset of each write's data, counted from 1. */
function starts(writes: readonly SealedWrite[]): readonly number[] {
  let next = 1;
  return writes.map(({ data }) => {
    const start = next;
    next += data.length;
    return start;
  });
}
