import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** Tokens that are counted before the count ends. */
export const belowMax = 10_000;

/** How many tokens a revocation ends besides the token itself. */
export interface Below {
  readonly children: number;
  /** False when there may be more. */
  readonly exact: boolean;
}

/** Counts the tokens that a token created, and those that they created. The store walks the tree only as far as it counts. */
export async function countBelow({ db }: Pick<Store, 'db'>, hash: Buffer): Promise<Below> {
  const { rows } = await rowsOf({ count: int })`
    with recursive below as (
      select hash from tokens where parent = ${hash} and revoked_at is null
      union all
      select t.hash from tokens t join below b on t.parent = b.hash where t.revoked_at is null)
    select count(*)::int as count from (select 1 from below limit ${belowMax + 1}::int) found`.execute(db);
  const count = rows[0]?.count ?? 0;
  return { children: Math.min(count, belowMax), exact: count <= belowMax };
}
