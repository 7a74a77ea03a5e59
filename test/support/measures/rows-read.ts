import { type QueryExecutorProvider, sql } from 'kysely';

/** Rows of the associations that the transaction has read so far, by PostgreSQL's own count. */
export async function associationRowsRead(tx: QueryExecutorProvider): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as count
      from pg_stat_xact_user_tables where relname = 'associations'`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Associations and entries of their indexes that the transaction has gone through so far. */
export async function associationEntriesRead(tx: QueryExecutorProvider): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (sum(pg_stat_get_xact_tuples_returned(indexrelid))
            + pg_stat_get_xact_tuples_returned('associations'::regclass))::int as count
      from pg_index where indrelid = 'associations'::regclass`.execute(tx);
  return rows[0]?.count ?? 0;
}
