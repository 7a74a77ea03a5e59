import { sql, type Transaction } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Mount } from '../../path/row.ts';
import type { Operation } from '../../queue/contract.ts';
import type { Database } from '../../store/tables.ts';
import { templateOf } from '../naming.ts';
import { loadSettings, type SyncSettings } from '../requeue.ts';
import { forgetFailedPurge, loadDestination, refuseDuringPurge } from './destination-store.ts';
import type { DestinationRecord } from './destination-view.ts';
import type { SyncParts } from './parts.ts';

/** The secret and the destination of a `set` or `remove`. `mountPath` has a trailing slash. */
export interface Link {
  readonly definition: DestinationDefinition;
  readonly destinationName: string;
  readonly mountPath: string;
  readonly secretName: string;
}

export interface NewLink extends Link {
  readonly mount: Pick<Mount, 'id' | 'accessor'>;
  readonly adopt: boolean;
}

type Change = (tx: Transaction<Database>, destination: DestinationRecord) => Promise<readonly Operation[]>;

/** What a change came to; no operations: there was nothing to do. */
export interface LinkChanged {
  readonly destination: DestinationRecord;
  readonly operations: readonly Operation[];
  readonly settings: SyncSettings;
}

/**
 * Creates the association, or sets it again: template and granularity of today, pushed even if it looks unchanged. At a
 * destination whose purge has failed it means that the destination is wanted again.
 */
export const setLink = (parts: SyncParts, link: NewLink): Promise<LinkChanged> =>
  changeLink(parts, link, async (tx, destination) => {
    await forgetFailedPurge(tx, destination);
    return upsert(tx, link, destination);
  });

/** Makes the association go, with its objects; those of mounts that were at this path before go too. */
export const removeLink = (parts: SyncParts, link: Link): Promise<LinkChanged> =>
  changeLink(parts, link, async (tx, destination) => {
    const { rows } = await sql<Operation>`
      update associations
         set desired = 'absent', generation = generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
             dirty_since = coalesce(dirty_since, now())
       where destination_id = ${destination.id}::bigint and mount_path = ${link.mountPath} and secret_name = ${link.secretName}
      returning ${operationColumns}`.execute(tx);
    return rows;
  });

const operationColumns = sql`id::text as id, type, destination_id::text as destination_id, generation::int as generation,
  next_attempt_at is not null as waiting`;

/**
 * Room in the queue is taken before the commit: when there is none, nothing has been changed (rule 4 of the sync). Room
 * that a failed commit leaves behind is given back here, or by the sweep. The destination is locked against a purge or
 * deletion that begins meanwhile and would not see this association.
 */
async function changeLink(parts: SyncParts, link: Link, change: Change): Promise<LinkChanged> {
  const settings = await loadSettings(parts.store);
  const reserved: Operation[] = [];
  try {
    return await parts.store.transaction(async (tx) => {
      const { type } = link.definition;
      const destination = await loadDestination(parts.store, tx, type, link.destinationName, 'share');
      if (destination === undefined) throw noDestination(type, link.destinationName);
      refuseDuringPurge(destination);
      const operations = await change(tx, destination);
      for (const operation of operations) {
        if (!(await parts.queue.reserve(operation, settings.queue_capacity))) throw full(settings.queue_capacity);
        reserved.push(operation);
      }
      return { destination, operations, settings };
    });
  } catch (cause) {
    for (const { id, generation } of reserved) await parts.queue.release(id, generation).catch(() => {});
    throw cause;
  }
}

async function upsert(
  tx: Transaction<Database>,
  link: NewLink,
  destination: DestinationRecord,
): Promise<readonly Operation[]> {
  const { definition, mount } = link;
  const template = templateOf(definition, destination.template, destination.granularity);
  const { rows } = await sql<Operation>`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, generation, forced_generation, status, records, updated_at, dirty_since)
    values (${destination.id}::bigint, ${definition.type}, ${mount.id}::uuid, ${link.mountPath}, ${mount.accessor},
            ${link.secretName}, ${destination.granularity}, ${template}, ${link.adopt}, 'present', 1, 1, 'PENDING', '[]',
            now(), now())
    on conflict (destination_id, mount_id, secret_name) do update
      set granularity = excluded.granularity, template = excluded.template, mount_path = excluded.mount_path,
          adopt = excluded.adopt, desired = 'present', generation = associations.generation + 1,
          forced_generation = associations.generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
          dirty_since = coalesce(associations.dirty_since, now())
    returning ${operationColumns}`.execute(tx);
  return rows;
}

const noDestination = (type: string, name: string): AppError =>
  new AppError('not-found', `no destination ${JSON.stringify(name)} of type ${type}`);

const full = (capacity: number): AppError =>
  new AppError(
    'unavailable',
    `the sync queue is full (queue_capacity ${capacity}): nothing was changed; ask again when operations have been worked off, or raise queue_capacity in sys/sync/config`,
  );
