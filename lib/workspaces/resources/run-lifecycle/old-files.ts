import { sql } from 'kysely';
import { tenants } from '#store/postgres/statements/tenants.ts';
import type { Store } from '#store/store.ts';
import { isActive } from './store.ts';

/** Files of one organization in one round, so that none keeps the others waiting. */
const perOrganizationMax = 200;

/** Logs, and plans in their three forms; worded as in the index. */
const isOfRun = sql.raw(`b.kind in ('log', 'plan')`);

/** After how many days the files of the workspace `w` go: its policy decides, or that of its organization, or the operator. Null: never. */
const daysOf = (days: number) => sql`
  select case when p.id is null then ${days === 0 ? null : days}::integer else p.days end as days
    from (select 1) one left join lateral (
      select id, days from ws_retention_policies p
       where p.workspace_id = w.id or p.organization_id = w.organization_id
       order by p.workspace_id nulls last limit 1) p on true`;

/** The runs that the file `b` is of. */
const runsOfFile = sql`
  select id from ws_runs where plan_log_id = b.id
  union all select id from ws_runs where apply_log_id = b.id
  union all select run_id from ws_run_jobs where plan_file_id = b.id
  union all select run_id from ws_run_jobs where plan_json_id = b.id
  union all select run_id from ws_run_jobs where plan_redacted_id = b.id`;

/** A saved plan may still be applied. */
const isKept = sql`exists (
  select 1 from ws_runs r where r.id in (${runsOfFile})
     and (${isActive('r')} or r.status = 'planned_and_saved' or r.id = w.current_run_id))`;

/**
 * Deletes at most `countMax` files of ended runs, their logs and their plans, to which nothing was added for as many days as the data retention
 * policy of the workspace says, or for `days` where there is no policy; 0 keeps them. The current run of a workspace keeps its files. Several
 * processes may do this at once. Returns whether there may be more.
 */
export async function dropOldFiles({ db }: Pick<Store, 'db'>, days: number, countMax: number): Promise<boolean> {
  const { rows } = await sql`
    with recursive ${tenants('ws_workspaces', 'organization_id', sql`true`)},
    due as materialized (
      select f.id
        from tenants t cross join lateral (
          select o.id, o.touched_at
            from ws_workspaces w cross join lateral (${daysOf(days)}) p cross join lateral (
              select b.id, b.touched_at from ws_blobs b
               where b.workspace_id = w.id and ${isOfRun} and b.touched_at < now() - make_interval(days => p.days) and not ${isKept}
               order by b.touched_at limit ${perOrganizationMax}) o
           where w.organization_id = t.id
           order by o.touched_at limit ${perOrganizationMax}) f
       where t.id is not null
       order by f.touched_at limit ${countMax}),
    held as (select id from ws_blobs where id in (select id from due) for update skip locked)
    delete from ws_blobs where id in (select id from held) returning 1`.execute(db);
  return rows.length >= Math.min(countMax, perOrganizationMax);
}
