import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '#store/tables.ts';
import { isActive } from './store.ts';

/** The number of runs that the measures of a workspace are made of. */
const runsMeasured = 30;

/**
 * Measures a workspace at the end of one of its runs: the number of its last finished runs (at most 30), how many of them are errored, of how many
 * the policies failed, and how long their finished plans and applies took on average, in milliseconds. An index finds these runs. The caller holds the lock on the workspace
 * row.
 */
export async function measure(tx: Transaction<Database>, workspaceId: string): Promise<void> {
  await sql`
    update ws_workspaces w
       set runs_count = m.runs, run_failures = m.failures, policy_failures = m.policy_failures, plan_ms_average = m.plan_ms, apply_ms_average = m.apply_ms
      from (select count(*) as runs, count(*) filter (where l.status = 'errored') as failures,
                   count(*) filter (where ${hasFailedPolicies}) as policy_failures,
                   ${average('plan')} as plan_ms, ${average('apply')} as apply_ms
              from (select r.id, r.status, r.plan, r.apply from ws_runs r
                     where r.workspace_id = ${workspaceId} and not (${isActive('r')}) and not r.assessment
                     order by r.position desc limit ${runsMeasured}) l) m
     where w.id = ${workspaceId}`.execute(tx);
}

/** Overridden policies have failed too. */
const hasFailedPolicies = sql`exists (
  select 1 from ws_task_stages s join ws_policy_evaluations e on e.stage_id = s.id
   where s.run_id = l.id and e.status in ('failed', 'errored', 'overridden'))`;

/** Largest value of the column, a duration of 24 days. */
const millisecondsMax = 2_147_483_647;

function average(part: 'plan' | 'apply'): RawBuilder<unknown> {
  const outcome = sql.ref(`l.${part}`);
  const time = (name: string) => sql`(${outcome}->'timestamps'->>${sql.lit(name)})::timestamptz`;
  const milliseconds = sql`extract(epoch from ${time('finished-at')} - ${time('started-at')}) * 1000`;
  // `least` of null and a number is the number, so it is applied before the average.
  return sql`round(avg(least(${milliseconds}, ${sql.lit(millisecondsMax)})) filter (where ${outcome}->>'status' = 'finished'))::integer`;
}
