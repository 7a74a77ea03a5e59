import { sql } from 'kysely';
import { sampleOf } from '../../store/postgres/sample.ts';
import type { Store } from '../../store/store.ts';

export interface TokenCounts {
  /** In the store, expired ones that the sweep has not dropped yet among them. */
  readonly tokens: number;
  /** Those of them that expire: what the API family counts as leases. */
  readonly leases: number;
}

/** Exact in a small store, an estimate in a large one: see `sampleOf`. */
export async function estimateTokens(store: Pick<Store, 'db'>, pagesMax?: number): Promise<TokenCounts> {
  const sample = await sampleOf(store, 'tokens', pagesMax);
  const { rows } = await sql<TokenCounts>`
    select count(*)::float8 as tokens, count(expire_at)::float8 as leases from ${sample.rows}`.execute(store.db);
  const { tokens, leases } = rows[0] ?? { tokens: 0, leases: 0 };
  return { tokens: Math.round(tokens * sample.factor), leases: Math.round(leases * sample.factor) };
}

/** Exact: reads an index as a whole, and no rows. */
export async function countTokens({ db }: Pick<Store, 'db'>): Promise<number> {
  const query = db.selectFrom('tokens').select(({ fn }) => fn.countAll<string>().as('count'));
  return Number((await query.executeTakeFirstOrThrow()).count);
}
