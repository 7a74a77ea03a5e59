import { sql, type Transaction } from 'kysely';
import { AppError } from '../../../core/errors.ts';
import type { DestinationDefinition, Granularity } from '../../../destinations/contract.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { givenOf, toStored } from '../../drivers/connection.ts';
import { connectionAad, type DestinationKey, openConnection } from '../../drivers/drivers.ts';
import type { DestinationRecord } from './view.ts';

type Reader = Store['db'] | Transaction<Database>;

/** `lock`: until the transaction ends nobody else may change it, nor, for `update`, lock it. */
export async function loadDestination(
  store: Store,
  reader: Reader,
  key: DestinationKey,
  lock?: 'share' | 'update',
): Promise<DestinationRecord | undefined> {
  const own = reader.selectFrom('destinations').selectAll().where('namespace_id', '=', key.namespace_id);
  const query = own.where('type', '=', key.type).where('name', '=', key.name);
  const locking = lock === 'update' ? query.forUpdate() : lock === 'share' ? query.forShare() : query;
  const row = await locking.executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    name: row.name,
    connection: givenOf(openConnection(store, key, row.connection)),
    granularity: row.granularity as Granularity,
    template: row.template,
    tags: row.custom_tags,
    network: row.network,
    adopt: row.adopt,
    purgeInitiatedAt: row.purge_initiated_at,
    purgeError: row.purge_error,
  };
}

export type DestinationValues = Omit<DestinationRecord, 'id' | 'purgeInitiatedAt' | 'purgeError'>;

/** Writes it under its type and name in the namespace, new or not. */
export async function saveDestination(
  store: Store,
  tx: Transaction<Database>,
  { type, fields }: Pick<DestinationDefinition, 'type' | 'fields'>,
  namespace_id: string,
  values: DestinationValues,
): Promise<void> {
  const connection = JSON.stringify(toStored(fields, values.connection));
  const sealed = store.barrier.seal(connection, connectionAad({ namespace_id, type, name: values.name }));
  const columns = {
    connection: sealed,
    granularity: values.granularity,
    template: values.template,
    custom_tags: JSON.stringify(values.tags),
    network: JSON.stringify(values.network),
    adopt: values.adopt,
    updated_at: sql<Date>`now()`,
  };
  await tx
    .insertInto('destinations')
    .values({ namespace_id, type, name: values.name, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['namespace_id', 'type', 'name'])
        .doUpdateSet({ ...columns, revision: sql`destinations.revision + 1` }),
    )
    .execute();
}

/** A purge that failed is given up: the destination stays, even when its last association goes. */
export async function forgetFailedPurge(tx: Transaction<Database>, record: DestinationRecord): Promise<void> {
  if (record.purgeError === null) return;
  await tx
    .updateTable('destinations')
    .set({ purge_initiated_at: null, purge_error: null })
    .where('id', '=', record.id)
    .execute();
}

/** While a purge goes on, nothing may be changed; once it has failed, everything may (and the purge be asked for again). */
export function refuseDuringPurge(record: DestinationRecord): void {
  if (record.purgeInitiatedAt === null || record.purgeError !== null) return;
  throw new AppError('bad-request', `purge in progress: destination ${JSON.stringify(record.name)} is being deleted`);
}
