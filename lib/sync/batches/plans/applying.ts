import { sql } from 'kysely';
import type { RecordedChange } from '../statements.ts';

/**
 * Has a worker do what a plan says of an association, or nothing. One that has changed since it was planned is left out, and so is one
 * for which a write whose end was not seen may still arrive.
 */
export const applying = (batchId: string): RecordedChange => ({
  wanted: sql`a.unconfirmed_at is null and exists (
                select 1 from (${ofBatch(batchId)}) k
                  join destinations d on d.id = a.destination_id and d.revision = k.revision and d.purge_initiated_at is null
                 where k.association_id = a.id and k.planned_at = a.generation)`,
  set: sql`granularity = coalesce(k.new_granularity, a.granularity), template = coalesce(k.new_template, a.template),
           verify_generation = generation + 1, planned_generation = generation + 1`,
  from: sql`from (${ofBatch(batchId)}) k`,
  where: sql`k.association_id = a.id`,
  also: sql`, applied as (
    update sync_plan_items i set applied_generation = m.generation
      from marked m, sync_plans p
     where p.batch_id = ${batchId}::uuid and i.plan_id = p.id and i.association_id = m.id::bigint
    )`,
});

const ofBatch = (batchId: string) => sql`
  select i.association_id, i.generation as planned_at, pd.revision, pd.granularity as new_granularity, pd.template as new_template
    from sync_plans p
    join sync_plan_items i on i.plan_id = p.id
    join sync_plan_destinations pd on pd.plan_id = p.id and pd.destination_id = i.destination_id
   where p.batch_id = ${batchId}::uuid`;
