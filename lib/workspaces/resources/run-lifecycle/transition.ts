import { sql, type Transaction } from 'kysely';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import type { Trigger } from '../notification-configurations/fields.ts';
import { announce } from '../notification-deliveries/outbox.ts';
import { asksTasks, beginStage, cancelStages } from '../run-tasks/stages.ts';
import { endLockedStates } from '../state-versions/promote.ts';
import { endAssessment } from './assessed.ts';
import { announceDestroyed } from './destroyed.ts';
import { measure } from './measures.ts';
import { isFinal, queuedStatuses, type RunStatus, stageStatuses } from './status.ts';
import { isActive, isAsking, isQueued, type RunRow } from './store.ts';

type Tx = Transaction<Database>;

/** Who changes a run: a caller, an agent of a pool, or the service of a run task. */
export interface Actor {
  readonly kind: ApiCaller['kind'] | 'agent';
  readonly id: string;
}

/** The notification trigger for each status that has one. */
const triggers: Readonly<Partial<Record<RunStatus, Trigger>>> = {
  pending: 'run:created',
  planning: 'run:planning',
  planned: 'run:needs_attention',
  applying: 'run:applying',
  applied: 'run:completed',
  planned_and_finished: 'run:completed',
  errored: 'run:errored',
  canceled: 'run:errored',
};

/**
 * Changes the status of a run with all consequences: timestamp, event, notifications, and at the end the measures of its workspace and the release
 * of the lock. The caller holds the lock on the workspace row.
 */
export async function transition(tx: Tx, run: RunRow, status: RunStatus, actor: Actor): Promise<void> {
  const { id, workspace_id: workspaceId, message } = run;
  await sql`
    update ws_runs set status = ${status}, updated_at = now(),
           timestamps = timestamps || jsonb_build_object(${`${status.replaceAll('_', '-')}-at`}::text, ${timeOfStatement})
     where id = ${id}`.execute(tx);
  if (status === 'confirmed') {
    const asks = await beginStage(tx, run, 'pre_apply');
    await stamp(tx, id, asks ? stageStatuses.pre_apply_running.since : queuedStatuses.apply_queued.since);
  }
  if (isFinal(status)) await cancelStages(tx, id);
  await addEvent(tx, id, status, actor);
  if (run.assessment) return isFinal(status) ? endAssessment(tx, run, status) : undefined;
  const trigger = triggers[status];
  if (trigger !== undefined) await announce(tx, { id, workspaceId, status, message }, trigger);
  await sql`update ws_workspaces set latest_change_at = now() where id = ${workspaceId}`.execute(tx);
  if (isFinal(status)) await measure(tx, workspaceId);
  if (status === 'applied') await makeCurrent(tx, run);
  if (isFinal(status)) await announceDestroyed(tx, run, status);
  if (isFinal(status) && status !== 'planned_and_saved') await dropPlan(tx, id);
  if (isFinal(status)) await release(tx, workspaceId, id);
  if (isFinal(status)) await queuePlans(tx, workspaceId);
}

/** A plan is applied once; what it contains is not kept when it can no longer be. */
async function dropPlan(tx: Tx, runId: string): Promise<void> {
  await sql`
    delete from ws_blobs where id = (select plan_file_id from ws_run_jobs where run_id = ${runId} and part = 'plan')`.execute(
    tx,
  );
}

/** Sets a timestamp of a run to the time of the statement. */
export async function stamp(tx: Tx, runId: string, name: string): Promise<void> {
  await sql`
    update ws_runs set updated_at = now(),
           timestamps = timestamps || jsonb_build_object(${name}::text, ${timeOfStatement}) where id = ${runId}`.execute(
    tx,
  );
}

/**
 * Marks the waiting runs of a workspace whose plan can begin as soon as an agent takes it: those with a configuration that take no lock,
 * and the first of the others, unless the workspace is locked. In a workspace with run tasks for this they are asked first. The caller holds the
 * lock on the workspace row.
 */
export async function queuePlans(tx: Tx, workspaceId: string): Promise<void> {
  const { stored, since } = queuedStatuses.plan_queued;
  const { since: asked } = stageStatuses.pre_plan_running;
  const isNext = sql`r.workspace_id = ${workspaceId} and ${isActive('r')} and r.status = ${stored}
       and r.timestamps ? 'plan-queueable-at' and not r.timestamps ? ${since}
       and (r.plan_only or r.settings->'save-plan' = 'true' or (
         not exists (select 1 from ws_runs a
                      where a.workspace_id = r.workspace_id and a.position < r.position and ${isQueued('a')})
         and exists (select 1 from ws_workspaces w where w.id = r.workspace_id and w.lock_kind is null)))`;
  const mark = (name: string) => sql`r.timestamps || jsonb_build_object(${name}::text, ${timeOfStatement})`;
  const { rows } = await rowsOf({ id: text, workspace_id: text })`
    update ws_runs r set timestamps = ${mark(asked)}
     where ${isNext} and not r.assessment and not r.timestamps ? ${asked} and ${asksTasks(sql`r.workspace_id`, 'pre_plan')}
    returning r.id, r.workspace_id`.execute(tx);
  for (const run of rows) await beginStage(tx, run, 'pre_plan');
  await sql`
    update ws_runs r set timestamps = ${mark(since)} where ${isNext} and not ${isAsking('r', 'pre_plan_running')}`.execute(
    tx,
  );
}

/** An applied provisional configuration becomes the current one of the workspace unless there is a newer one. */
async function makeCurrent(tx: Tx, { workspace_id: workspaceId, configuration_version_id: id }: RunRow): Promise<void> {
  await sql`
    update ws_workspaces w set current_configuration_version_id = c.id
      from ws_configuration_versions c
     where w.id = ${workspaceId} and c.id = ${id} and c.provisional
       and not exists (select 1 from ws_configuration_versions n
                        where n.id = w.current_configuration_version_id and n.position > c.position)`.execute(tx);
}

/** The time of the statement in the format of the API. */
export const timeOfStatement = sql`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The timestamp of a run whose configuration has been uploaded, so that its plan can be queued. */
export const queueableNow = sql`jsonb_build_object('plan-queueable-at', ${timeOfStatement})`;

/** Adds an event to a run and returns its id. */
export async function addEvent(tx: Tx, runId: string, action: string, { kind, id }: Actor): Promise<string> {
  const eventId = newId('re');
  await sql`
    insert into ws_run_events (id, run_id, action, created_by_kind, created_by)
    values (${eventId}, ${runId}, ${action}, ${kind}, ${id})`.execute(tx);
  return eventId;
}

/** Locks the workspace for a run and makes it the current run. Returns false when the workspace is locked otherwise. */
export async function takeLock(tx: Tx, { id, workspace_id }: RunRow): Promise<boolean> {
  const { rows } = await sql`
    update ws_workspaces set lock_kind = 'runs', lock_holder = ${id}, lock_reason = null, current_run_id = ${id},
           lock_epoch = lock_epoch + (lock_kind is null)::int
     where id = ${workspace_id} and (lock_kind is null or (lock_kind = 'runs' and lock_holder = ${id}))
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Ends the lock that a run holds. */
export async function release(tx: Tx, workspaceId: string, runId: string): Promise<void> {
  const { rows } = await sql`
    update ws_workspaces set lock_kind = null, lock_holder = null, lock_reason = null, latest_change_at = now()
     where id = ${workspaceId} and lock_kind = 'runs' and lock_holder = ${runId} returning 1`.execute(tx);
  if (rows.length > 0) await endLockedStates(tx, workspaceId);
}
