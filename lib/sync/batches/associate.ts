import type { Transaction } from 'kysely';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { type Dirty, dirtyColumns, resetAttempts } from '#store/outbox.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { Batch } from './batch.ts';
import { defaultTemplates } from './statements.ts';

/** Locks secrets until the transaction ends and returns those that exist. */
export type HoldSecrets = (
  tx: Transaction<Database>,
  mountId: string,
  secretNames: readonly string[],
) => Promise<readonly string[]>;

export interface AssociateParts {
  readonly definitions: readonly DestinationDefinition[];
  readonly holdSecrets: HoldSecrets;
}

export interface AssociatedPage {
  readonly dirty: readonly Dirty[];
  readonly ended: boolean;
}

/**
 * Associates the next secrets of a batch with its destination, or sets their associations again. The secrets were recorded at the creation,
 * when the rights to them were checked; those that no longer exist are left out. Returns a text when the batch cannot go on.
 */
export async function associatePage(
  tx: Transaction<Database>,
  { definitions, holdSecrets }: AssociateParts,
  batch: Batch,
  most: number,
): Promise<AssociatedPage | string> {
  const target = await targetOf(tx, definitions, batch);
  if (typeof target === 'string') return target;
  const { rows } = await rowsOf({ secret_name: text })`
    select secret_name from sync_batch_secrets where batch_id = ${batch.id}::uuid
     order by secret_name limit ${most}::int`.execute(tx);
  const names = rows.map(({ secret_name }) => secret_name);
  if (names.length === 0) return { dirty: [], ended: true };
  // Without these locks a concurrent write of a secret could commit after the first push without seeing the association.
  const held = await holdSecrets(tx, target.mount_id, names);
  const made = await associating(batch, target, names, held).execute(tx);
  return { dirty: made.rows, ended: false };
}

type Target = RowOf<typeof targetColumns>;

const targetColumns = { mount_id: text, accessor: text, path: text, type: text, granularity: text, template: text };

/** The destination and the mount, locked against deletion and moves, as for a single `set`. */
async function targetOf(
  tx: Transaction<Database>,
  definitions: readonly DestinationDefinition[],
  { destination_id, mount_id, filter }: Batch,
): Promise<Target | string> {
  const { rows } = await rowsOf(targetColumns)`
    select m.id::text as mount_id, m.accessor, m.path, d.type, d.granularity, coalesce(d.template, t.template) as template
      from destinations d
      join ${defaultTemplates(definitions)} as t (type, granularity, template)
        on t.type = d.type and t.granularity = d.granularity
     cross join mounts m
     where d.id = ${destination_id}::bigint and d.purge_initiated_at is null
       and m.id = ${mount_id}::uuid and m.path = ${filter.mount}
       for share of d for key share of m`.execute(tx);
  return rows[0] ?? 'the destination or the mount was deleted or moved meanwhile';
}

/** A secret that another request is associating at this moment stays for the next page. */
const associating = (
  { id, adopt, destination_id }: Batch,
  { mount_id, accessor, path, type, granularity, template }: Target,
  names: readonly string[],
  held: readonly string[],
) => rowsOf(dirtyColumns)`
  with held as (select unnest(${held}::text[]) collate "C" as secret_name),
  known as materialized (
    select a.id, a.secret_name from associations a
     where a.destination_id = ${destination_id}::bigint and a.mount_id = ${mount_id}::uuid and a.secret_name = any(${held}::text[])
     order by a.id for no key update
  ),
  renewed as (
    update associations
       set granularity = ${granularity}, template = ${template}, mount_path = ${path}, adopt = ${adopt}, rule_id = null,
           desired = 'present', forced_generation = generation + 1, ${resetAttempts}
     where id = any(array(select id from known))
    returning secret_name, id, type, destination_id, generation, next_attempt_at is not null as waiting
  ),
  made as (
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, generation, forced_generation, status, records, updated_at, dirty_since)
    select ${destination_id}::bigint, ${type}, ${mount_id}::uuid, ${path}, ${accessor}, secret_name, ${granularity}, ${template},
           ${adopt}, 'present', 1, 1, 'PENDING', '[]', now(), now()
      from held where secret_name not in (select secret_name from known)
        on conflict (destination_id, mount_id, secret_name) do nothing
    returning secret_name, id, type, destination_id, generation, false as waiting
  ),
  marked as (select * from renewed union all select * from made),
  noted as (
    insert into sync_batch_items (batch_id, association_id, generation)
    select ${id}::uuid, id, generation from marked on conflict do nothing
  ),
  dropped as (
    delete from sync_batch_secrets
     where batch_id = ${id}::uuid and secret_name = any(${names}::text[])
       and (secret_name in (select secret_name from marked) or secret_name not in (select secret_name from held))
  )
  select id::text as id, type, destination_id::text as destination_id, generation::int as generation, waiting from marked`;
