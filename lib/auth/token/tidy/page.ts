import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/** Tokens of one statement. */
const pageSize = 1_000;

/** What one page of tidying has found. */
export interface TidiedPage {
  readonly looked: number;
  /** Tokens whose parent is not there: they are orphans now. */
  readonly orphaned: number;
  /** Tokens that should not be there: they are marked as revoked now. */
  readonly marked: number;
  /** Where the next page begins; null: this was the last. */
  readonly last: Buffer | null;
}

/**
 * One page of the tokens of a namespace, in the order of their hashes. Of the three rules of the specification the one about accessors has
 * nothing to find, since an accessor is a column of its token; what else belongs to a token goes with its row.
 */
export async function tidyPage({ db }: Pick<Store, 'db'>, namespaceId: string, after: Buffer): Promise<TidiedPage> {
  const { rows } = await sql<TidiedPage>`
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
  if (row === undefined) throw new Error('a select without a table answers one row');
  return { ...row, last: row.looked < pageSize ? null : row.last };
}
