import { sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { errorStatuses } from '#sync/model/status.ts';
import { toldColumns } from './decide.ts';

type Db = Pick<Store, 'db'>;

const concernedColumns = {
  /** The last destination of the page, and how many it has. */
  last: nullable(bigintText),
  size: int,
  id: nullable(bigintText),
  namespace_id: nullable(text),
};

/**
 * The destinations of a page that have something to tell: a sync with an error, or a state that was told. Each costs one look into the
 * index of errors, so a page of destinations in order costs little.
 */
export async function concernedAfter({ db }: Db, after: string, pageSize: number) {
  const { rows } = await rowsOf(concernedColumns)`
    with page as materialized (
      select id, namespace_id from destinations where id > ${after}::bigint order by destinations.id limit ${pageSize}::int
    )
    select l.last, l.size, c.id, c.namespace_id
      from (select max(id) as last, count(*)::int as size from page) l
      left join (
        select p.id, p.namespace_id from page p
         where exists (select 1 from associations a where a.destination_id = p.id and a.error is not null)
            or exists (select 1 from sync_told t where t.destination_id = p.id)) c on true
     order by c.namespace_id, c.id`.execute(db);
  const concerned = rows.flatMap(({ id, namespace_id }) =>
    id === null || namespace_id === null ? [] : [{ id, namespaceId: namespace_id }],
  );
  return { concerned, last: (rows[0]?.size ?? 0) < pageSize ? undefined : (rows[0]?.last ?? undefined) };
}

/** A destination as it is now, and what was told of it. */
export type Seen = RowOf<typeof seenColumns>;

const seenColumns = {
  id: bigintText,
  type: text,
  name: text,
  ...toldColumns,
  failing: bool,
  troubled: bool,
};

/** Literals, as the index of statuses has one: PostgreSQL needs it for planning. */
export const hasFailed = sql`a.status <> 'SYNCED' and a.status in (${sql.join(errorStatuses.map((one) => sql.lit(one)))})`;

/** These destinations of a namespace, in the order of their ids. */
export async function seenOf(db: Store['db'], ids: readonly string[]): Promise<readonly Seen[]> {
  const { rows } = await rowsOf(seenColumns)`
    select d.id, d.type, d.name, t.failing_since, t.counted_at, coalesce(t.failed, 0) as failed,
           coalesce(t.kinds, '{}') as kinds, coalesce(t.circuit_open, false) as circuit_open, t.circuit_told_at,
           coalesce(t.throttled, false) as throttled, t.throttled_told_at,
           exists (select 1 from associations a where a.destination_id = d.id and ${hasFailed}) as failing,
           exists (select 1 from associations a where a.destination_id = d.id and a.error is not null) as troubled
      from unnest(${ids}::bigint[]) i (id) join destinations d on d.id = i.id left join sync_told t on t.destination_id = d.id
     order by d.id`.execute(db);
  return rows;
}
