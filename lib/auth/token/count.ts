import type { Store } from '../../store/store.ts';

export interface TokenCounts {
  /** In the store, expired ones that the sweep has not dropped yet among them. */
  readonly tokens: number;
  /** Those of them that expire: what the API family counts as leases. */
  readonly leases: number;
}

/** Reads two indexes as a whole, and no rows. */
export async function countTokens({ db }: Pick<Store, 'db'>): Promise<TokenCounts> {
  const all = db.selectFrom('tokens').select(({ fn }) => fn.countAll<string>().as('count'));
  const [tokens, leases] = await Promise.all([
    all.executeTakeFirstOrThrow(),
    all.where('expire_at', 'is not', null).executeTakeFirstOrThrow(),
  ]);
  return { tokens: Number(tokens.count), leases: Number(leases.count) };
}
