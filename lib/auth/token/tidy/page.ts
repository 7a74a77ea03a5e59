import type { RowOf } from '#store/sql/columns.ts';
import { bytea, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** Tokens that one statement reads. */
const pageSize = 1_000;

/** The result of one page. */
export type TidiedPage = RowOf<typeof pageColumns>;

const pageColumns = {
  looked: int,
  /** Tokens without their parent, which became orphans. */
  orphaned: int,
  /** Tokens that have ended, which were marked as revoked. */
  marked: int,
  /** Where the next page starts; null after the last page. */
  last: nullable(bytea),
};

/**
 * Tidies one page of the tokens of a namespace in the order of their hashes. Accessors cannot be left over, since they are a column of
 * their token, and everything else that belongs to a token is deleted with its row.
 */
export async function tidyPage({ db }: Pick<Store, 'db'>, namespaceId: string, after: Buffer): Promise<TidiedPage> {
  const { rows } = await rowsOf(pageColumns)`
    with page as materialized (
      select hash, parent, revoked_at is null and (expire_at <= now() or num_uses < 0 and in_use_until <= now()) as ended
        from tokens where hash > ${after} and namespace_id = ${namespaceId} order by hash limit ${pageSize}
    ),
    orphaned as (
      update tokens t set parent = null, orphan = true from page
       where t.hash = page.hash and page.parent is not null and page.ended is not true
         and not exists (select 1 from tokens p where p.hash = page.parent)
      returning 1
    ),
    marked as (
      update tokens t set revoked_at = now() from page where t.hash = page.hash and page.ended returning 1
    )
    select (select count(*)::int from page) as looked,
           (select count(*)::int from orphaned) as orphaned,
           (select count(*)::int from marked) as marked,
           (select hash from page order by hash desc limit 1) as last`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table returned no row');
  return { ...row, last: row.looked < pageSize ? null : row.last };
}
