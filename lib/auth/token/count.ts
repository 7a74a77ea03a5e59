import type { Store } from '../../store/store.ts';

/** How many tokens are in the store, expired ones that the sweep has not dropped yet among them. Reads the whole index. */
export async function countTokens({ db }: Pick<Store, 'db'>): Promise<number> {
  const { count } = await db
    .selectFrom('tokens')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
