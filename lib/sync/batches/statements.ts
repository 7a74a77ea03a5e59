import { type RawBuilder, sql } from 'kysely';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { dirtyColumns, markDirty, resetAttempts } from '#store/outbox.ts';
import { objectOf } from '#store/sql/columns.ts';
import { bigintText, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { isRemnant } from '../model/status.ts';
import type { Batch } from './batch.ts';
import { along, filterOf, isSelected } from './walk.ts';

/** Associations that one statement looks at. */
export const lookedMax = 2_500;

const pageColumns = {
  looked: int,
  last: nullable(bigintText),
  wanted: int,
  last_wanted: nullable(bigintText),
  marked: nullable(objectOf(dirtyColumns)),
};

const summary = sql`
  (select count(*)::int as looked, max(id)::text as last from page) as page
  cross join (select count(*)::int as wanted, max(id)::text as last_wanted from wanted) as wanted`;

/** Takes a page along an index first, whatever the filter then selects from it, so that the cost of a statement is bounded. */
export function syncing(batch: Batch, most: number) {
  const { id, action, after_id, association_max } = batch;
  const wanted = filterOf(action, batch.filter);
  const selection = { namespaceId: batch.namespace_id, filter: wanted, updatedBefore: batch.updated_before };
  const how = action === 'force' ? ({ forced: sql`true`, forgotten: sql`false` } as const) : 'verify';
  return rowsOf(pageColumns)`
    with page as materialized (
      select id from associations
       where ${along(wanted)} and id > ${after_id}::bigint and id <= ${association_max}::bigint
       order by id limit ${lookedMax}::int
    ),
    wanted as materialized (
      select a.id from associations a join destinations d on d.id = a.destination_id
       where a.id = any(array(select id from page)) and ${isSelected(selection)}
       order by a.id limit ${most}::int for no key update of a
    ),
    marked as (${markDirty(sql`id = any(array(select id from wanted))`, how)}),
    noted as (
      insert into sync_batch_items (batch_id, association_id, generation)
      select ${id}::uuid, id::bigint, generation from marked on conflict do nothing
    )
    select page.looked, page.last, wanted.wanted, wanted.last_wanted, to_jsonb(marked) as marked
      from ${summary} left join marked on true`;
}

/** The items were recorded at the creation, when the rights to their secrets were checked. Those that have ended meanwhile are dropped. */
export function recorded({ id, after_id }: Batch, most: number, change: RecordedChange) {
  const ofPage: RawBuilder<unknown> = sql`batch_id = ${id}::uuid and association_id = any(array(select id from page))`;
  return rowsOf(pageColumns)`
    with page as materialized (
      select association_id as id from sync_batch_items
       where batch_id = ${id}::uuid and generation is null and association_id > ${after_id}::bigint
       order by association_id limit ${most}::int
    ),
    wanted as materialized (
      select a.id from associations a where a.id = any(array(select id from page)) and ${change.wanted}
       order by a.id for no key update of a
    ),
    marked as (
      update associations a set ${change.set}, ${resetAttempts} ${change.from}
       where a.id = any(array(select id from wanted)) and ${change.where}
      returning a.id::text as id, a.type, a.destination_id::text as destination_id, a.generation::int as generation,
                a.next_attempt_at is not null as waiting
    ),
    noted as (
      update sync_batch_items i set generation = m.generation from marked m
       where i.batch_id = ${id}::uuid and i.association_id = m.id::bigint
    ),
    dropped as (delete from sync_batch_items where ${ofPage} and association_id not in (select id from wanted))
    ${change.also ?? sql``}
    select page.looked, page.last, wanted.wanted, wanted.last_wanted, to_jsonb(marked) as marked
      from ${summary} left join marked on true`;
}

export interface RecordedChange {
  /** Which recorded associations `a` still change. */
  readonly wanted: RawBuilder<unknown>;
  readonly set: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  /** A further part of the statement, which may read `marked`. */
  readonly also?: RawBuilder<unknown>;
}

/** Ends an association. */
export const ending: RecordedChange = {
  wanted: sql`not ${isRemnant('a')}`,
  set: sql`desired = 'absent'`,
  from: sql``,
  where: sql`true`,
};

/**
 * Sets an association again. One that is being removed is not set again, nor is one whose destination is being purged. One that a standing
 * rule made stays that rule's, with the granularity and template that the rule has instead of the destination's.
 */
export const renewing = (definitions: readonly DestinationDefinition[]): RecordedChange => ({
  wanted: sql`a.desired = 'present' and exists (
                select 1 from destinations d where d.id = a.destination_id and d.purge_initiated_at is null)`,
  set: sql`granularity = t.granularity,
           template = coalesce((select r.template from sync_rules r where r.id = a.rule_id),
                               case when t.granularity = d.granularity then d.template end, t.template),
           forced_generation = generation + 1`,
  from: sql`from destinations d join ${defaultTemplates(definitions)} as t (type, granularity, template) on t.type = d.type`,
  where: sql`d.id = a.destination_id
         and t.granularity = coalesce((select r.granularity from sync_rules r where r.id = a.rule_id), d.granularity)`,
});

/** A table `(type, granularity, template)` of the templates that destinations have by default. */
export function defaultTemplates(definitions: readonly DestinationDefinition[]): RawBuilder<unknown> {
  const rows = definitions.flatMap(({ type, templates }) =>
    Object.entries(templates).map(([granularity, template]) => ({ type, granularity, template })),
  );
  return sql`unnest(${rows.map(({ type }) => type)}::text[], ${rows.map(({ granularity }) => granularity)}::text[],
                    ${rows.map(({ template }) => template)}::text[])`;
}
