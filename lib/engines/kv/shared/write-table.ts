import { type RawBuilder, sql } from 'kysely';
import type { SealedWrite } from './gathered-writes.ts';
import { locationsTable } from './secret-path.ts';

/** A write as a row of a batch. */
export interface TableWrite extends SealedWrite {
  /** Random; binds the data to the row of its version. */
  readonly id: string;
  /** The current version it is meant to follow; undefined: any. */
  readonly cas?: number | undefined;
}

/**
 * SQL of a table of writes, numbered from 1: `n`, `mount_id`, `path`, `id`, `cas`, `now`, `data`. The time is the store's. All data travel as one
 * value and are cut apart there: as an array of values they would be sent as text of twice the size.
 */
export function writesTable(writes: readonly TableWrite[]): RawBuilder<unknown> {
  const all = Buffer.concat(writes.map(({ data }) => data));
  const locations = locationsTable(
    writes,
    sql`(select ${writes.map(({ id }) => id)}::uuid[])`,
    sql`(select ${writes.map(({ cas }) => cas ?? null)}::int[])`,
    sql`(select ${starts(writes)}::int[])`,
    sql`(select ${writes.map(({ data }) => data.length)}::int[])`,
  );
  return sql`
    select w.n::int as n, w.mount_id, w.path collate "C" as path, w.id, w.cas, statement_timestamp() as now,
           substring(${all}::bytea from w.start for w.length) as data
      from ${locations} as w (mount_id, path, id, cas, start, length, n)`;
}

/** Where the data of each write begins, counted from 1. */
function starts(writes: readonly SealedWrite[]): readonly number[] {
  let next = 1;
  return writes.map(({ data }) => {
    const start = next;
    next += data.length;
    return start;
  });
}
