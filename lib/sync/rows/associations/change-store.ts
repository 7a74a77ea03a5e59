import { sql, type Transaction } from 'kysely';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Operation } from '#queue/contract.ts';
import { dirtyColumns, resetAttempts } from '#store/outbox.ts';
import { bigintText, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isRemnant } from '../../model/status.ts';
import { templateOf } from '../../template/naming.ts';
import type { DestinationRecord } from '../destinations/view.ts';

/** The secret and the destination of a `set` or `remove`. `mountPath` has a trailing slash. */
export interface AssociationKey {
  readonly namespaceId: string;
  readonly definition: DestinationDefinition;
  readonly destinationName: string;
  readonly mountPath: string;
  readonly secretName: string;
}

export interface NewAssociation extends AssociationKey {
  readonly mount: Pick<Mount, 'id' | 'accessor'>;
  readonly adopt: boolean;
}

/** The operation that setting the association will need. With generation 1 the association is new and will get this id. */
export async function setTarget(
  store: Store,
  wanted: NewAssociation,
  destination: DestinationRecord,
): Promise<Operation> {
  const { rows } = await rowsOf({ id: bigintText, generation: int })`
    select coalesce(a.id, nextval(pg_get_serial_sequence('associations', 'id')))::text as id,
           coalesce(a.generation, 0) + 1 as generation
      from (select 1) as one
      left join associations a on a.destination_id = ${destination.id}::bigint
                              and a.mount_id = ${wanted.mount.id}::uuid and a.secret_name = ${wanted.secretName}`.execute(
    store.db,
  );
  const [target] = rows;
  if (target === undefined) throw new Error('the database returned no row');
  return { ...target, type: wanted.definition.type, destination_id: destination.id, waiting: false };
}

/** The operations that ending the associations of this path will need. */
export async function removeTargets(
  store: Store,
  wanted: AssociationKey,
  destination: DestinationRecord,
): Promise<readonly Operation[]> {
  const { rows } = await rowsOf(dirtyColumns)`
    select id::text as id, type, destination_id::text as destination_id, generation + 1 as generation, false as waiting
      from associations
     where destination_id = ${destination.id}::bigint and mount_path = ${wanted.mountPath}
       and secret_name = ${wanted.secretName} and not ${isRemnant()}`.execute(store.db);
  return rows;
}

/**
 * Whether the mount still has the requested path. The rights of the caller were checked for that path, and a move of the mount
 * would not update an association that it cannot see yet. The lock keeps the mount in place until the transaction ends.
 */
export async function isMountedThere(
  tx: Transaction<Database>,
  { mount, mountPath }: NewAssociation,
): Promise<boolean> {
  const { rows } = await rowsOf({ path: text })`
    select path from mounts where id = ${mount.id}::uuid for key share`.execute(tx);
  return rows[0]?.path === mountPath;
}

/** `waiting` is true because a caller waits for the operation, so a delayed job is brought forward. */
const operationColumns = sql`id::text as id, type, destination_id::text as destination_id, generation::int as generation,
  true as waiting`;

/** Returns no row when the association already exists. */
export async function insertAssociation(
  tx: Transaction<Database>,
  wanted: NewAssociation,
  destination: DestinationRecord,
  id: string,
): Promise<readonly Operation[]> {
  const { definition, mount } = wanted;
  const template = templateOf(definition, destination.template, destination.granularity);
  const { rows } = await rowsOf(dirtyColumns)`
    insert into associations (id, destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity,
                              template, adopt, desired, generation, forced_generation, status, records, updated_at,
                              dirty_since)
    overriding system value
    values (${id}::bigint, ${destination.id}::bigint, ${definition.type}, ${mount.id}::uuid, ${wanted.mountPath},
            ${mount.accessor}, ${wanted.secretName}, ${destination.granularity}, ${template}, ${wanted.adopt}, 'present', 1, 1,
            'PENDING', '[]', now(), now())
    on conflict (destination_id, mount_id, secret_name) do nothing
    returning ${operationColumns}`.execute(tx);
  return rows;
}

/** Returns no row when the association no longer exists. */
export async function renewAssociation(
  tx: Transaction<Database>,
  wanted: NewAssociation,
  destination: DestinationRecord,
  id: string,
): Promise<readonly Operation[]> {
  const template = templateOf(wanted.definition, destination.template, destination.granularity);
  const { rows } = await rowsOf(dirtyColumns)`
    update associations
       set granularity = ${destination.granularity}, template = ${template}, mount_path = ${wanted.mountPath},
           adopt = ${wanted.adopt}, rule_id = null, desired = 'present', forced_generation = generation + 1, ${resetAttempts}
     where id = ${id}::bigint
    returning ${operationColumns}`.execute(tx);
  return rows;
}

/** Associations deleted meanwhile are skipped. */
export async function endAssociations(
  tx: Transaction<Database>,
  targets: readonly Operation[],
): Promise<readonly Operation[]> {
  const ids = targets.map(({ id }) => id);
  const { rows } = await rowsOf(dirtyColumns)`
    update associations
       set desired = 'absent', ${resetAttempts}
     where id = any(${ids}::bigint[])
    returning ${operationColumns}`.execute(tx);
  return rows;
}
