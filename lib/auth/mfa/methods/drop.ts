import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/** Secrets that one statement deletes. */
const secretsPerStep = 1_000;

/** Deletes a method that is marked as removed, its secrets before it in bounded steps. It may be cut off and run again. */
export async function dropMethod({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  for (let left = true; left; ) {
    const { rows } = await sql`
      delete from mfa_secrets where method_id = ${id} and entity_id in (
        select entity_id from mfa_secrets where method_id = ${id} limit ${secretsPerStep}) returning 1`.execute(db);
    left = rows.length === secretsPerStep;
  }
  await sql`delete from mfa_methods where id = ${id} and removed_at is not null`.execute(db);
}

/** Methods whose removal was cut off, a few of them. */
export async function dropRemoved({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from mfa_methods where removed_at is not null limit ${limit}`.execute(db);
  for (const { id } of rows) await dropMethod({ db }, id);
  return rows.length;
}
