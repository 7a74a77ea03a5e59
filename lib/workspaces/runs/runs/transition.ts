import { sql, type Transaction } from 'kysely';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { endLockedStates } from '../../states/state-versions/promote.ts';
import type { Trigger } from '../notifications/fields.ts';
import { announce } from '../notifications/outbox.ts';
import { isFinal, type RunStatus } from './status.ts';
import type { RunRow } from './store.ts';

type Tx = Transaction<Database>;
type Actor = Pick<ApiCaller, 'kind' | 'id'>;

/** What receivers of notifications are told of a status; of the others nothing. */
const triggers: Readonly<Partial<Record<RunStatus, Trigger>>> = {
  pending: 'run:created',
  planning: 'run:planning',
  planned: 'run:needs_attention',
  applying: 'run:applying',
  applied: 'run:completed',
  planned_and_finished: 'run:completed',
  errored: 'run:errored',
};

/**
 * Gives a run another status, with all that follows: the time, the event, the messages, and at its end the lock. The caller holds the
 * workspace's row.
 */
export async function transition(tx: Tx, run: RunRow, status: RunStatus, actor: Actor): Promise<void> {
  const { id, workspace_id: workspaceId, message } = run;
  await sql`
    update ws_runs set status = ${status}, updated_at = now(),
           timestamps = timestamps || jsonb_build_object(${`${status.replaceAll('_', '-')}-at`}::text, ${timeOfStatement})
     where id = ${id}`.execute(tx);
  await addEvent(tx, id, status, actor);
  const trigger = triggers[status];
  if (trigger !== undefined) await announce(tx, { id, workspaceId, status, message }, trigger);
  if (status === 'errored')
    await sql`update ws_workspaces set run_failures = run_failures + 1 where id = ${workspaceId}`.execute(tx);
  if (status === 'applied') await makeCurrent(tx, run);
  if (isFinal(status)) await release(tx, workspaceId, id);
}

/** A provisional configuration becomes that of the workspace when it was applied, unless there is a newer one. */
async function makeCurrent(tx: Tx, { workspace_id: workspaceId, configuration_version_id: id }: RunRow): Promise<void> {
  await sql`
    update ws_workspaces w set current_configuration_version_id = c.id
      from ws_configuration_versions c
     where w.id = ${workspaceId} and c.id = ${id} and c.provisional
       and not exists (select 1 from ws_configuration_versions n
                        where n.id = w.current_configuration_version_id and n.position > c.position)`.execute(tx);
}

/** As all times of the API are written. */
export const timeOfStatement = sql`to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What a run has of times from when its plan can be queued: its configuration is there. */
export const queueableNow = sql`jsonb_build_object('plan-queueable-at', ${timeOfStatement})`;

/** Answers the id of the event. */
export async function addEvent(tx: Tx, runId: string, action: string, { kind, id }: Actor): Promise<string> {
  const eventId = newId('re');
  await sql`
    insert into ws_run_events (id, run_id, action, created_by_kind, created_by)
    values (${eventId}, ${runId}, ${action}, ${kind}, ${id})`.execute(tx);
  return eventId;
}

/** Takes the lock of the workspace for a run and shows it as the current one. False: somebody has it. */
export async function takeLock(tx: Tx, { id, workspace_id }: RunRow): Promise<boolean> {
  const { rows } = await sql`
    update ws_workspaces set lock_kind = 'runs', lock_holder = ${id}, lock_reason = null, current_run_id = ${id},
           lock_epoch = lock_epoch + (lock_kind is null)::int
     where id = ${workspace_id} and (lock_kind is null or (lock_kind = 'runs' and lock_holder = ${id}))
    returning 1`.execute(tx);
  return rows.length > 0;
}

async function release(tx: Tx, workspaceId: string, runId: string): Promise<void> {
  const { rows } = await sql`
    update ws_workspaces set lock_kind = null, lock_holder = null, lock_reason = null, latest_change_at = now()
     where id = ${workspaceId} and lock_kind = 'runs' and lock_holder = ${runId} returning 1`.execute(tx);
  if (rows.length > 0) await endLockedStates(tx, workspaceId);
}
