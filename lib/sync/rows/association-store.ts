import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { AssociationRecord } from './association-view.ts';

/** Reads that answer more than one association are cut here; nobody can look at more. */
export const associationsMax = 100_000;

/** Associations, by a condition on `a` (associations) and `d` (destinations). */
export async function loadAssociations(
  store: Store,
  where: RawBuilder<unknown>,
): Promise<readonly AssociationRecord[]> {
  const { rows } = await sql<AssociationRecord>`
    select a.type, d.name as destination_name, a.mount_path, a.mount_accessor, a.secret_name, a.granularity, a.desired,
           a.status, a.error, a.records, a.attempts, a.next_attempt_at, a.updated_at
      from associations a join destinations d on d.id = a.destination_id
     where ${where} order by a.id limit ${associationsMax}`.execute(store.db);
  return rows;
}

export const ofDestination = (id: string): RawBuilder<unknown> => sql`a.destination_id = ${id}::bigint`;

export const withIds = (ids: readonly string[]): RawBuilder<unknown> => sql`a.id = any(${ids}::bigint[])`;

/** Whether a worker is through with this generation, or the association is no more, or no worker will come: the sync is disabled. */
export async function isSettled(store: Store, id: string, generation: number): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select not c.disabled and exists(
             select 1 from associations where id = ${id}::bigint and observed_generation < ${generation}) as open
      from sync_config c where c.id = 1`.execute(store.db);
  return rows[0]?.open !== true;
}
