import { sql } from 'kysely';
import { badRequest } from '../../core/errors.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Reply } from '../../path/row.ts';
import { loadDestination } from './destination-store.ts';
import type { SyncParts } from './parts.ts';

interface DeleteInput {
  readonly name: string;
  readonly purge: boolean;
  readonly force_delete: boolean;
}

/**
 * Deletes a destination. With associations it is refused, unless `purge` (all its objects are removed in the background,
 * then it goes by itself) or `force_delete` (it goes at once and its objects stay where they are, nobody's).
 */
export async function deleteDestination(
  parts: SyncParts,
  definition: DestinationDefinition,
  input: DeleteInput,
): Promise<Reply> {
  const dirty = await parts.store.transaction(async (tx) => {
    const record = await loadDestination(parts.store, tx, definition.type, input.name, 'update');
    if (record === undefined) return [];
    if (input.force_delete) {
      await tx.deleteFrom('associations').where('destination_id', '=', record.id).execute();
    } else if (input.purge) {
      const { rows } = await purge(record.id).execute(tx);
      if (rows.length > 0) return rows;
    } else {
      await refuseWithAssociations(tx, record.id, input.name);
    }
    await tx.deleteFrom('destinations').where('id', '=', record.id).execute();
    return [];
  });
  const warnings = await parts.changed(dirty);
  return warnings.length > 0 ? { warnings } : undefined;
}

async function refuseWithAssociations(tx: SyncParts['store']['db'], id: string, name: string): Promise<void> {
  const query = tx.selectFrom('associations').select(({ fn }) => fn.countAll<string>().as('count'));
  const { count } = await query.where('destination_id', '=', id).executeTakeFirstOrThrow();
  if (Number(count) === 0) return;
  throw badRequest(
    `destination ${JSON.stringify(name)} still manages ${count} associations: remove them, or delete with purge=true to remove all its secrets, or with force_delete=true to leave them there`,
  );
}

const purge = (id: string) => sql<{
  id: string;
  type: string;
  destination_id: string;
  generation: number;
  waiting: boolean;
}>`
  with marked as (
    update destinations set purge_initiated_at = now(), purge_error = null where id = ${id}::bigint
  )
  update associations
     set desired = 'absent', generation = generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
         dirty_since = coalesce(dirty_since, now())
   where destination_id = ${id}::bigint
  returning id::text as id, type, destination_id::text as destination_id, generation::int as generation,
            next_attempt_at is not null as waiting`;
