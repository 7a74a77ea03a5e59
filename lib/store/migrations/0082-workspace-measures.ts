import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Averages of workspaces over their last runs, and the address by which the clients of a notification configuration know this service. The
 * measures of present workspaces are made of their present runs.
 */
export async function workspaceMeasures(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const milliseconds = (part: string): string => `
  case when ${part}->>'status' = 'finished'
       then least(2147483647, extract(epoch from (${part}->'timestamps'->>'finished-at')::timestamptz
                             - (${part}->'timestamps'->>'started-at')::timestamptz) * 1000) end`;

const statements = [
  `alter table ws_workspaces
     -- Milliseconds; null: none of the last runs has a finished plan or apply.
     add column plan_ms_average integer,
     add column apply_ms_average integer`,
  'alter table ws_notifications add column origin text',
  `update ws_workspaces w
      set runs_count = m.runs, run_failures = m.failures, plan_ms_average = m.plan_ms, apply_ms_average = m.apply_ms
     from ws_workspaces i cross join lateral (
       select count(*) as runs, count(*) filter (where l.status = 'errored') as failures,
              round(avg(l.plan_ms))::integer as plan_ms, round(avg(l.apply_ms))::integer as apply_ms
         from (select r.status, ${milliseconds('r.plan')} as plan_ms, ${milliseconds('r.apply')} as apply_ms from ws_runs r
                where r.workspace_id = i.id
                  and r.status in ('applied', 'planned_and_finished', 'planned_and_saved', 'discarded', 'canceled', 'errored')
                order by r.position desc limit 30) l) m
    where w.id = i.id and (i.runs_count > 0 or i.run_failures > 0)`,
];
