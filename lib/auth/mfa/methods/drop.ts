import { sql } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** The number of secrets that one statement deletes. */
const secretsPerStep = 1_000;

/** Deletes a method that is marked as removed, after its secrets, in bounded steps. It can be interrupted and run again. */
export async function dropMethod({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  for (let left = true; left; ) {
    const { rows } = await sql`
      delete from mfa_secrets where method_id = ${id} and entity_id in (
        select entity_id from mfa_secrets where method_id = ${id} limit ${secretsPerStep}) returning 1`.execute(db);
    left = rows.length === secretsPerStep;
  }
  await sql`delete from mfa_methods where id = ${id} and removed_at is not null`.execute(db);
}

/** Completes interrupted removals, at most `limit` of them. Returns their number. */
export async function dropRemoved({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  const { rows } = await rowsOf({ id: text })`
    select id from mfa_methods where removed_at is not null limit ${limit}`.execute(db);
  for (const { id } of rows) await dropMethod({ db }, id);
  return rows.length;
}
