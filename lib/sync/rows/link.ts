import { sql, type Transaction } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Mount } from '../../path/row.ts';
import type { Operation } from '../../queue/contract.ts';
import type { Database } from '../../store/tables.ts';
import { templateOf } from '../naming.ts';
import { loadSettings, type SyncSettings } from '../requeue.ts';
import { loadDestination, refuseDuringPurge } from './destination-store.ts';
import type { DestinationRecord } from './destination-view.ts';
import type { SyncParts } from './parts.ts';

/** The secret and the destination of a `set` or `remove`. */
export interface Link {
  readonly definition: DestinationDefinition;
  readonly destinationName: string;
  readonly mount: Pick<Mount, 'id' | 'path' | 'accessor'>;
  readonly secretName: string;
  readonly adopt: boolean;
}

type Change = (tx: Transaction<Database>, destination: DestinationRecord) => Promise<Operation | undefined>;

/** What a change of one association came to; `operation` undefined: there was nothing to do. */
export interface LinkChanged {
  readonly destination: DestinationRecord;
  readonly operation: Operation | undefined;
  readonly settings: SyncSettings;
}

/** Creates the association, or sets it again: template and granularity of today, pushed even if it looks unchanged. */
export const setLink = (parts: SyncParts, link: Link): Promise<LinkChanged> =>
  changeLink(parts, link, (tx, destination) => upsert(tx, link, destination));

/** Makes the association go, with its objects. */
export const removeLink = (parts: SyncParts, link: Link): Promise<LinkChanged> =>
  changeLink(parts, link, async (tx, destination) => {
    const { rows } = await sql<Operation>`
      update associations
         set desired = 'absent', generation = generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
             dirty_since = coalesce(dirty_since, now())
       where destination_id = ${destination.id}::bigint and mount_id = ${link.mount.id}::uuid and secret_name = ${link.secretName}
      returning ${operationColumns}`.execute(tx);
    return rows[0];
  });

const operationColumns = sql`id::text as id, type, destination_id::text as destination_id, generation::int as generation,
  next_attempt_at is not null as waiting`;

/**
 * Room in the queue is taken before the commit: when there is none, nothing has been changed (rule 4 of the sync). Room
 * that a failed commit leaves behind is given back here, or by the sweep.
 */
async function changeLink(parts: SyncParts, link: Link, change: Change): Promise<LinkChanged> {
  const settings = await loadSettings(parts.store);
  let reserved: Operation | undefined;
  try {
    return await parts.store.transaction(async (tx) => {
      const { type } = link.definition;
      const destination = await loadDestination(parts.store, tx, type, link.destinationName);
      if (destination === undefined) throw noDestination(type, link.destinationName);
      refuseDuringPurge(destination);
      const operation = await change(tx, destination);
      if (operation !== undefined) {
        if (!(await parts.queue.reserve(operation, settings.queue_capacity))) throw full(settings.queue_capacity);
        reserved = operation;
      }
      return { destination, operation, settings };
    });
  } catch (cause) {
    if (reserved !== undefined) await parts.queue.release(reserved.id, reserved.generation).catch(() => {});
    throw cause;
  }
}

async function upsert(
  tx: Transaction<Database>,
  link: Link,
  destination: DestinationRecord,
): Promise<Operation | undefined> {
  const { definition, mount } = link;
  const template = templateOf(definition, destination.template, destination.granularity);
  // A write of the secret that is under way sees by this that an association came, and marks it dirty after all.
  await sql`update kv_secrets set revision = revision + 1
             where mount_id = ${mount.id}::uuid and path = ${link.secretName}`.execute(tx);
  const { rows } = await sql<Operation>`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, generation, forced_generation, status, records, updated_at, dirty_since)
    values (${destination.id}::bigint, ${definition.type}, ${mount.id}::uuid, ${mount.path}, ${mount.accessor},
            ${link.secretName}, ${destination.granularity}, ${template}, ${link.adopt}, 'present', 1, 1, 'PENDING', '[]',
            now(), now())
    on conflict (destination_id, mount_id, secret_name) do update
      set granularity = excluded.granularity, template = excluded.template, mount_path = excluded.mount_path,
          adopt = excluded.adopt, desired = 'present', generation = associations.generation + 1,
          forced_generation = associations.generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
          dirty_since = coalesce(associations.dirty_since, now())
    returning ${operationColumns}`.execute(tx);
  return rows[0];
}

const noDestination = (type: string, name: string): AppError =>
  new AppError('not-found', `no destination ${JSON.stringify(name)} of type ${type}`);

const full = (capacity: number): AppError =>
  new AppError(
    'unavailable',
    `the sync queue is full (queue_capacity ${capacity}): nothing was changed; ask again when operations have been worked off, or raise queue_capacity in sys/sync/config`,
  );
