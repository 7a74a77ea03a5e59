import { type QueryExecutorProvider, sql } from 'kysely';

/** A group of associations whose numbers, by reading all of them, differ from the counts. */
export interface WrongCount {
  readonly destination_id: string;
  readonly status: string;
  readonly kind: string;
  readonly missing: readonly number[];
}

const isShown = sql`not (desired = 'absent' and status = 'UNSYNCED')`;

/** Groups whose counts are wrong, in one snapshot. */
export async function wrongCounts(db: QueryExecutorProvider): Promise<readonly WrongCount[]> {
  const { rows } = await sql<WrongCount>`
    with truth as (
      select destination_id, status,
             case when (status = 'PENDING' and attempts = 0) or status = 'SYNCED' or not ${isShown} or error is null then ''
                  else error ->> 'kind' end as kind,
             count(*) filter (where ${isShown}) as associations, count(*) filter (where generation > observed_generation) as dirty,
             count(*) filter (where ${isShown} and drift is not null) as drifted
        from associations group by 1, 2, 3
    ),
    counted as (
      select destination_id, status, kind, sum(associations) as associations, sum(dirty) as dirty, sum(drifted) as drifted
        from association_counts group by 1, 2, 3
    )
    select destination_id::text as destination_id, status, kind,
           array[coalesce(t.associations, 0) - coalesce(c.associations, 0), coalesce(t.dirty, 0) - coalesce(c.dirty, 0),
                 coalesce(t.drifted, 0) - coalesce(c.drifted, 0)]::int[] as missing
      from truth t full join counted c using (destination_id, status, kind)
     where coalesce(t.associations, 0) <> coalesce(c.associations, 0) or coalesce(t.dirty, 0) <> coalesce(c.dirty, 0)
        or coalesce(t.drifted, 0) <> coalesce(c.drifted, 0)`.execute(db);
  return rows;
}
