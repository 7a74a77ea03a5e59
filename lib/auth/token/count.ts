import { sampleOf } from '#store/postgres/statements/sample.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

export type TokenCounts = RowOf<typeof tokenCountsColumns>;

const tokenCountsColumns = {
  /** All tokens in the store, with expired ones that the sweep has not deleted yet. */
  tokens: int,
  /** The tokens that expire, which the API family counts as leases. */
  leases: int,
};

/** Counts tokens exactly in a small store, and estimates their number in a large one (see `sampleOf`). */
export async function estimateTokens(store: Pick<Store, 'db'>, pagesMax?: number): Promise<TokenCounts> {
  const sample = await sampleOf(store, 'tokens', pagesMax);
  const { rows } = await rowsOf(tokenCountsColumns)`
    select count(*)::float8 as tokens, count(expire_at)::float8 as leases from ${sample.rows}`.execute(store.db);
  const { tokens, leases } = rows[0] ?? { tokens: 0, leases: 0 };
  return { tokens: Math.round(tokens * sample.factor), leases: Math.round(leases * sample.factor) };
}

/** Counts tokens exactly. Reads a whole index, but no rows. */
export async function countTokens({ db }: Pick<Store, 'db'>): Promise<number> {
  const query = db.selectFrom('tokens').select(({ fn }) => fn.countAll().as('count'));
  return Number((await query.executeTakeFirstOrThrow()).count);
}
