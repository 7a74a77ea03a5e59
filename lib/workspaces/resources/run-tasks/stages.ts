import { type RawBuilder, sql, type Transaction } from 'kysely';
import { oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { appliesTo } from '../policy-sets/applying.ts';
import { type TaskStage, taskStages } from './fields.ts';

type Tx = Transaction<Database>;

/** Enabled tasks `t` that the workspace with this id asks at a stage. */
const tasksAt = (workspaceId: RawBuilder<unknown>, stage: TaskStage): RawBuilder<unknown> => sql`
  ws_workspace_tasks l join ws_organization_tasks t on t.id = l.task_id and t.enabled
   where l.workspace_id = ${workspaceId} and ${stage}::text = any(l.stages)`;

/** The condition that the workspace asks tasks at a stage. */
export const asksTasks = (workspaceId: RawBuilder<unknown>, stage: TaskStage): RawBuilder<unknown> =>
  sql`exists (select 1 from ${tasksAt(workspaceId, stage)})`;

interface StagedRun {
  readonly id: string;
  readonly workspace_id: string;
}

/**
 * Prepares the stages that a new run will come to, as its workspace is now: the command line of the engine looks at them once, before the plan, and
 * then follows them.
 */
export async function prepareStages(
  tx: Tx,
  { id, workspace_id: workspaceId }: StagedRun,
  { planOnly }: { readonly planOnly: boolean },
): Promise<void> {
  const { rows } = await rowsOf({ stage: oneOf(...taskStages) })`
    select distinct unnest(l.stages) as stage from ws_workspace_tasks l
      join ws_organization_tasks t on t.id = l.task_id and t.enabled where l.workspace_id = ${workspaceId}`.execute(tx);
  const stages = new Set(rows.map(({ stage }) => stage));
  if (await hasPolicies(tx, workspaceId)) stages.add('post_plan');
  for (const stage of stages)
    if (!planOnly || stage === 'pre_plan' || stage === 'post_plan')
      await sql`
        insert into ws_task_stages (id, run_id, stage, status) values (${newId('ts')}, ${id}, ${stage}, 'pending')`.execute(
        tx,
      );
}

/**
 * Begins a stage of a run, with a result for each task, whose services are then asked, and after the plan with an evaluation of the policies that
 * apply. Returns false when there is neither.
 */
export async function beginStage(tx: Tx, { id, workspace_id }: StagedRun, stage: TaskStage): Promise<boolean> {
  const { rows } = await rowsOf({ id: text })`
    select l.id from ${tasksAt(sql`${workspace_id}`, stage)} order by l.created_at, l.id`.execute(tx);
  const isEvaluated = stage === 'post_plan' && (await hasPolicies(tx, workspace_id));
  if (rows.length === 0 && !isEvaluated) {
    await sql`
      update ws_task_stages set status = 'unreachable', updated_at = now()
       where run_id = ${id} and stage = ${stage} and status = 'pending'`.execute(tx);
    return false;
  }
  const stageId = await startedStage(tx, id, stage);
  for (const { id: taskId } of rows)
    await sql`
      insert into ws_task_results (id, stage_id, organization_id, task_id, workspace_task_id, task_name, task_url, enforcement_level, next_at)
      select ${newId('taskrs')}, ${stageId}, t.organization_id, t.id, l.id, t.name, t.url, l.enforcement_level, now()
        from ws_workspace_tasks l join ws_organization_tasks t on t.id = l.task_id where l.id = ${taskId}`.execute(tx);
  if (isEvaluated)
    await sql`
      insert into ws_policy_evaluations (id, stage_id, organization_id, next_at)
      select ${newId('poleval')}, ${stageId}, organization_id, now() from ws_workspaces where id = ${workspace_id}`.execute(
      tx,
    );
  return true;
}

async function startedStage(tx: Tx, runId: string, stage: TaskStage): Promise<string> {
  const { rows } = await rowsOf({ id: text })`
    insert into ws_task_stages (id, run_id, stage, timestamps)
    values (${newId('ts')}, ${runId}, ${stage}, jsonb_build_object('running-at', ${now}))
    on conflict (run_id, stage) do update set status = 'running', updated_at = now(), timestamps = excluded.timestamps
    returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

async function hasPolicies(tx: Tx, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ws_workspaces w join ws_policy_sets s on ${appliesTo} where w.id = ${workspaceId} limit 1`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Cancels what a run that ends was still asking. It does not come to further stages. */
export async function cancelStages(tx: Tx, runId: string): Promise<void> {
  await sql`
    update ws_task_stages set status = 'unreachable', updated_at = now()
     where run_id = ${runId} and status = 'pending'`.execute(tx);
  await sql`
    with stages as (
      update ws_task_stages set status = 'canceled', updated_at = now(),
             timestamps = timestamps || jsonb_build_object('canceled-at', ${now})
       where run_id = ${runId} and status in ('running', 'awaiting_override') returning id),
    evaluations as (
      update ws_policy_evaluations e set status = 'canceled', updated_at = now(), next_at = null, claimed_until = null,
             timestamps = timestamps || jsonb_build_object('canceled-at', ${now})
        from stages s where e.stage_id = s.id and e.status in ('pending', 'running'))
    update ws_task_results r set status = 'canceled', updated_at = now(), ${ended},
           timestamps = timestamps || jsonb_build_object('canceled-at', ${now})
      from stages s where r.stage_id = s.id and r.status in ('pending', 'running')`.execute(tx);
}

/** A result that has ended is not asked for again, and its token is invalid. */
export const ended = sql`hash = null, next_at = null, claimed_until = null, until = null`;

/** The time of the statement in the format of the API. */
export const now = sql`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
