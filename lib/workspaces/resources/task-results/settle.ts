import { type RawBuilder, sql, type Transaction } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { afterwards } from '../plans-and-applies/report.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { queuedStatuses, stageStatus, stageStatuses } from '../run-lifecycle/status.ts';
import type { RunRow } from '../run-lifecycle/store.ts';
import { type Actor, queuePlans, stamp, transition } from '../run-lifecycle/transition.ts';
import type { TaskStage } from '../run-tasks/fields.ts';
import { ended, now } from '../run-tasks/stages.ts';
import { type ResultStatus, resultsWhere } from './view.ts';

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

/** Ends a stage whose results have all ended: a mandatory one that has not passed ends the run. */
async function settle(tx: Tx, run: RunRow, stageId: string): Promise<void> {
  const results = await resultsWhere(tx, sql`t.stage_id = ${stageId}`);
  if (results.some(({ status }) => status === 'pending' || status === 'running')) return;
  const failing = results.find((one) => one.enforcement_level === 'mandatory' && one.status !== 'passed');
  const outcome = failing === undefined ? 'passed' : 'failed';
  await sql`
    update ws_task_stages set status = ${outcome}, updated_at = now(),
           timestamps = timestamps || jsonb_build_object(${`${outcome}-at`}::text, ${now}) where id = ${stageId}`.execute(
    tx,
  );
  const stage = results[0]?.stage;
  if (stage === undefined || stage === 'post_apply' || stageStatus(run) !== `${stage}_running`) return;
  const actor: Actor = { kind: 'task', id: failing?.id ?? stageId };
  if (failing !== undefined) return transition(tx, run, 'errored', actor);
  await stamp(tx, run.id, stageStatuses[`${stage}_running`].until);
  await goOn[stage](tx, run, actor);
}

/** What a run does after a stage that it has passed. */
const goOn: Readonly<Record<Exclude<TaskStage, 'post_apply'>, (tx: Tx, run: RunRow, actor: Actor) => Promise<void>>> = {
  pre_plan: (tx, run) => queuePlans(tx, run.workspace_id),
  post_plan: (tx, run, actor) => transition(tx, run, afterwards(run, 'plan', run.plan), actor),
  pre_apply: (tx, run) => stamp(tx, run.id, queuedStatuses.apply_queued.since),
};
