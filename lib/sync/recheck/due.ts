import { sql } from 'kysely';
import type { Operation } from '../../queue/contract.ts';
import type { Store } from '../../store/store.ts';

/**
 * Makes associations dirty whose recheck is due; their status stays what it is. One that is dirty already comes in line first. May
 * run twice and beside another sweep: whoever has an association in flight is not waited for.
 */
export async function markDueRechecks(store: Store, most: number): Promise<readonly Operation[]> {
  const { rows } = await sql<Operation>`
    with due as (
      select id from associations
       where recheck_at is not null and generation = observed_generation and recheck_at <= now()
       order by recheck_at limit ${most}::int for no key update skip locked
    )
    update associations a
       set generation = a.generation + 1, recheck_generation = a.generation + 1
      from due where a.id = due.id
    returning a.id::text as id, a.type, a.destination_id::text as destination_id, a.generation::int as generation,
              false as waiting`.execute(store.db);
  return rows;
}
