import { sql, type Transaction } from 'kysely';
import { AppError } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { timestamptz } from '#store/sql/kinds.ts';
import { asRows, expressionOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { givenOf, toStored } from '../../drivers/connection.ts';
import { connectionAad, type DestinationKey, openConnection } from '../../drivers/drivers.ts';
import { destinationColumns } from '../../model/destination-network.ts';
import type { DriftAction } from '../../model/drift.ts';
import { type Pause, pauseNow } from '../../model/pause.ts';
import type { DestinationRecord } from './view.ts';

type Reader = Store['db'] | Transaction<Database>;

/** @param lock until the transaction ends no other may change the destination (`share`), nor lock it (`update`) */
export async function loadDestination(
  store: Store,
  reader: Reader,
  key: DestinationKey,
  lock?: 'share' | 'update',
): Promise<DestinationRecord | undefined> {
  const all = asRows(destinationColumns, reader.selectFrom('destinations').selectAll());
  const own = all.where('namespace_id', '=', key.namespace_id);
  const query = own.where('type', '=', key.type).where('name', '=', key.name);
  const locking = lock === 'update' ? query.forUpdate() : lock === 'share' ? query.forShare() : query;
  const row = await locking.executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    name: row.name,
    revision: row.revision,
    connection: givenOf(openConnection(store, key, row.connection)),
    granularity: row.granularity,
    template: row.template,
    tags: row.custom_tags,
    network: row.network,
    adopt: row.adopt,
    rateGroup: row.rate_group,
    onDrift: row.on_drift,
    pause: pauseNow(row, store.clock.now()),
    purgeInitiatedAt: row.purge_initiated_at,
    purgeError: row.purge_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type DestinationValues = Pick<
  DestinationRecord,
  'name' | 'connection' | 'granularity' | 'template' | 'tags' | 'network' | 'adopt' | 'rateGroup' | 'onDrift'
>;

/** Creates or replaces a destination. */
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
    rate_group: values.rateGroup,
    on_drift: values.onDrift,
    updated_at: expressionOf(timestamptz)`now()`,
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

/**
 * Pauses or resumes a destination. A pause also touches the configuration row, which every claim holds: once this transaction has
 * committed, no further claim is made, and all earlier ones can be seen.
 */
export async function savePause(
  tx: Transaction<Database>,
  key: DestinationKey,
  before: Pause,
  { disabled, until }: Pause,
): Promise<void> {
  const resumed = before.disabled && !disabled ? { resumed_at: expressionOf(timestamptz)`now()` } : {};
  const own = tx.updateTable('destinations').set({ disabled, disabled_until: until, ...resumed });
  await own
    .where('namespace_id', '=', key.namespace_id)
    .where('type', '=', key.type)
    .where('name', '=', key.name)
    .execute();
  if (disabled) await sql`update sync_config set disabled = disabled where id = 1`.execute(tx);
}

/** Says what looks do with drift. The objects do not depend on it, so no association is marked. */
export async function saveOnDrift(tx: Transaction<Database>, id: string, on_drift: DriftAction): Promise<void> {
  await tx.updateTable('destinations').set({ on_drift }).where('id', '=', id).execute();
}

/** Abandons a failed purge: the destination stays even after its last association is deleted. */
export async function forgetFailedPurge(tx: Transaction<Database>, record: DestinationRecord): Promise<void> {
  if (record.purgeError === null) return;
  await tx
    .updateTable('destinations')
    .set({ purge_initiated_at: null, purge_error: null })
    .where('id', '=', record.id)
    .execute();
}

/** Refuses changes while a purge is running. After a failed purge they are allowed, and so is another purge. */
export function refuseDuringPurge(record: DestinationRecord): void {
  if (record.purgeInitiatedAt === null || record.purgeError !== null) return;
  throw new AppError('bad-request', `purge in progress: destination ${JSON.stringify(record.name)} is being deleted`);
}
