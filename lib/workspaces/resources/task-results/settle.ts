import { type RawBuilder, sql, type Transaction } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { announce } from '../notification-deliveries/outbox.ts';
import { afterwards } from '../plans-and-applies/report.ts';
import { evaluationsWhere } from '../policy-evaluations/store.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { queuedStatuses, stageStatus, stageStatuses } from '../run-lifecycle/status.ts';
import type { RunRow } from '../run-lifecycle/store.ts';
import { type Actor, addEvent, queuePlans, stamp, transition } from '../run-lifecycle/transition.ts';
import type { TaskStage } from '../run-tasks/fields.ts';
import { ended, now } from '../run-tasks/stages.ts';
import { type Decision, decide } from './decide.ts';
import { type ResultStatus, resultsWhere, stagesWhere } from './view.ts';

type Tx = Transaction<Database>;

/** What becomes known about a result. */
export interface Said {
  readonly status: ResultStatus;
  /** Undefined keeps the present ones. */
  readonly message?: string | undefined;
  readonly url?: string | undefined;
}

/** A result, and the run that waits for it. */
export interface AskedResult {
  readonly id: string;
  readonly runId: string;
  readonly workspaceId: string;
}

/** Minutes for which a service may say nothing, and for which it may take altogether. */
const minutesMax = { silent: 10, all: 60 };

/**
 * Stores what becomes known about a result that has not ended. With the last result of its stage the run goes on or ends. Resolves with false when
 * the result had ended before, or does not meet the condition on `t` any more.
 *
 * @throws ApiError 404 when the workspace was deleted
 */
export async function say(
  store: Store,
  { id, runId, workspaceId }: AskedResult,
  { status, message, url }: Said,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<boolean> {
  const isOver = status !== 'running';
  const rest = isOver
    ? ended
    : sql`until = least(now() + make_interval(mins => ${minutesMax.silent}), t.created_at + make_interval(mins => ${minutesMax.all})), next_at = null, claimed_until = null`;
  let isStored = false;
  await changeRun({ store }, { id: runId, workspace_id: workspaceId }, async (tx, run) => {
    const { rows } = await rowsOf({ stage_id: text })`
      update ws_task_results t
         set status = ${status}, message = coalesce(${message ?? null}, message), url = coalesce(${url ?? null}, url),
             updated_at = now(), timestamps = timestamps || jsonb_build_object(${`${status}-at`}::text, ${now}), ${rest}
       where id = ${id} and status in ('pending', 'running') and ${condition} returning stage_id`.execute(tx);
    const [row] = rows;
    isStored = row !== undefined;
    if (row !== undefined && isOver) await settle(tx, run, row.stage_id);
  });
  return isStored;
}

/** Decides about a stage in which nothing is open any more: the run goes on, ends, or waits for an override. */
export async function settle(tx: Tx, run: RunRow, stageId: string): Promise<void> {
  const [row] = await stagesWhere(tx, sql`s.id = ${stageId}`);
  if (row === undefined) return;
  const results = await resultsWhere(tx, sql`t.stage_id = ${stageId}`);
  const [evaluation] = await evaluationsWhere(tx, sql`e.stage_id = ${stageId}`);
  const decision = decide(results, evaluation, { planOnly: run.plan_only });
  if (decision === undefined) return;
  const { stage } = row;
  const waits = stage !== 'post_apply' && stageStatus(run) === `${stage}_running`;
  await markStage(tx, stageId, decision.status);
  if (!waits) return;
  const actor: Actor = { kind: 'task', id: 'because' in decision ? decision.because : stageId };
  if (decision.status === 'failed') return transition(tx, run, 'errored', actor);
  if (decision.status === 'passed') return goOn(tx, run, stage, actor);
  await stamp(tx, run.id, stageStatuses.post_plan_awaiting_decision.since);
  await addEvent(tx, run.id, 'post_plan_awaiting_decision', actor);
  const { id, workspace_id: workspaceId, message } = run;
  await announce(tx, { id, workspaceId, status: 'post_plan_awaiting_decision', message }, 'run:needs_attention');
}

async function markStage(tx: Tx, stageId: string, status: Decision['status']): Promise<void> {
  await sql`
    update ws_task_stages set status = ${status}, updated_at = now(),
           timestamps = timestamps || jsonb_build_object(${`${status.replaceAll('_', '-')}-at`}::text, ${now})
     where id = ${stageId}`.execute(tx);
}

type Waited = Exclude<TaskStage, 'post_apply'>;

/** Lets a run go on after a stage that it has passed. The caller holds the lock on the workspace row. */
export async function goOn(tx: Tx, run: RunRow, stage: Waited, actor: Actor): Promise<void> {
  await stamp(tx, run.id, stageStatuses[`${stage}_running`].until);
  await onward[stage](tx, run, actor);
}

const onward: Readonly<Record<Waited, (tx: Tx, run: RunRow, actor: Actor) => Promise<void>>> = {
  pre_plan: (tx, run) => queuePlans(tx, run.workspace_id),
  post_plan: (tx, run, actor) => transition(tx, run, afterwards(run, 'plan', run.plan), actor),
  pre_apply: (tx, run) => stamp(tx, run.id, queuedStatuses.apply_queued.since),
};
