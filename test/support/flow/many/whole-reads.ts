import { sql, type Transaction } from 'kysely';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';

/** How often `run` reads the whole table of associations. It gets a store whose statements are all in one transaction. */
export async function wholeReads(store: Store, run: (store: Store) => Promise<unknown>): Promise<number> {
  return store.db.transaction().execute(async (tx) => {
    const before = await scans(tx);
    await run({ ...store, db: tx, transaction: (work) => work(tx) });
    return (await scans(tx)) - before;
  });
}

/** The count of this connection, including what it has not yet reported to the server. */
async function scans(tx: Transaction<Database>): Promise<number> {
  const { rows } = await sql<{ scans: number }>`
    select seq_scan::int as scans from pg_stat_xact_user_tables where relname = 'associations'`.execute(tx);
  return rows[0]?.scans ?? 0;
}
