import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/**
 * Kept plans, which can be applied as they are. An association whose `planned_generation` is its generation does what its plan says, or
 * nothing. Each statement may run again.
 */
export async function syncPlans(db: QueryExecutorProvider): Promise<void> {
  await alterSoon(db, sql`alter table associations add column if not exists planned_generation int not null default 0`);
  for (const statement of tables) await sql.raw(statement).execute(db);
}

const tables = [
  `create table if not exists sync_plans (
     id uuid primary key,
     namespace_id text collate "C" not null,
     created_at timestamptz not null default now(),
     expires_at timestamptz not null,
     items int not null default 0,
     applied_at timestamptz,
     batch_id uuid
   )`,
  'create index if not exists sync_plans_namespace on sync_plans (namespace_id, created_at)',
  'create index if not exists sync_plans_expiry on sync_plans (expires_at)',
  'create index if not exists sync_plans_batch on sync_plans (batch_id) where batch_id is not null',
  `create or replace trigger sync_plans_in_namespace before insert on sync_plans
     for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`,
  `create table if not exists sync_plan_destinations (
     plan_id uuid not null references sync_plans (id) on delete cascade,
     destination_id bigint not null,
     type text not null,
     name text collate "C" not null,
     revision int not null,
     granularity text,
     template text,
     primary key (plan_id, destination_id)
   )`,
  `create table if not exists sync_plan_items (
     plan_id uuid not null references sync_plans (id) on delete cascade,
     association_id bigint not null,
     destination_id bigint not null,
     mount_path text not null,
     secret_name text collate "C" not null,
     generation int not null,
     actions jsonb not null,
     applied_generation int,
     primary key (plan_id, association_id)
   )`,
  'create index if not exists sync_plan_items_association on sync_plan_items (association_id)',
];
