import { sql } from 'kysely';
import type { OpenService } from '../open-service.ts';

/** Inserts associations that match their secrets, as if they had been synced. Nothing is written to the destination. */
export async function insertAssociations(
  service: OpenService,
  destinationName: string,
  count: number,
  status = 'SYNCED',
): Promise<void> {
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, generation, observed_generation, status, records, updated_at)
    select d.id, d.type, m.id, m.path, m.accessor, ${`many-of-${destinationName}/`} || lpad(i::text, 6, '0'), d.granularity, 'x', false,
           'present', 1, 1, ${status}, '[]', now()
      from destinations d, mounts m, generate_series(1, ${count}::int) i
     where d.name = ${destinationName} and m.path = 'secret/'`.execute(service.store.db);
}

/** Counts the associations of a destination that satisfy this condition. */
export async function countAssociations(
  service: OpenService,
  destinationName: string,
  condition = sql`true`,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from associations a join destinations d on d.id = a.destination_id
     where d.name = ${destinationName} and ${condition}`.execute(service.store.db);
  return rows[0]?.count ?? 0;
}
