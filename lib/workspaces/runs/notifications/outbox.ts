import { sql, type Transaction } from 'kysely';
import { eachOf } from '../../../core/concurrency/each-of.ts';
import type { GuardedFetch } from '../../../network/fetch.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { deliver } from './deliver.ts';
import type { Trigger } from './fields.ts';
import type { NotificationRow } from './view.ts';

/** A run, of which something is to be told. */
export interface ToldRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: string;
  readonly message: string;
}

/** Attempts for one message; the receiver may be away for a while. */
const attemptsMax = 4;
const atOnceMax = 5;
/** Of one event of a run. */
const messagesMax = 200;
/** Longer than an attempt takes: who died at one is followed by another. */
const claimSeconds = 60;

/**
 * Notes within the transaction of a change what is to be told of it, to all configurations that want to know of the
 * workspace. It is sent after the commit, at least once.
 */
export async function announce(tx: Transaction<Database>, run: ToldRun, trigger: Trigger): Promise<void> {
  const { id, workspaceId, status, message } = run;
  await sql`
    insert into ws_deliveries (notification_id, payload)
    select n.id, jsonb_build_object('payload_version', 1, 'notification_configuration_id', n.id,
             'run_url', '/app/' || o.name || '/workspaces/' || w.name || '/runs/' || ${id}::text,
             'run_id', ${id}::text, 'run_message', ${message}::text, 'workspace_id', w.id, 'workspace_name', w.name,
             'organization_name', o.name, 'notifications', jsonb_build_array(jsonb_build_object(
               'trigger', ${trigger}::text, 'run_status', ${status}::text, 'run_updated_at', now())))
      from ws_workspaces w join ws_organizations o on o.id = w.organization_id cross join lateral ${ofWorkspace} n
     where w.id = ${workspaceId} and n.settings->'enabled' = 'true' and n.settings->'triggers' @> to_jsonb(${trigger}::text)
     limit ${messagesMax}
  `.execute(tx);
}

/** The configurations that tell of the workspace `w`: its own, those of its project, and those of teams with access to one of the two. */
const ofWorkspace = sql`(
  select id, settings from ws_notifications where workspace_id = w.id
  union all
  select id, settings from ws_notifications where project_id = w.project_id
  union all
  select id, settings from ws_notifications
   where team_id in (select g.team_id from ws_grants g where g.workspace_id = w.id or g.project_id = w.project_id))`;

interface Due {
  readonly id: string;
  readonly notification_id: string;
  readonly payload: object;
  readonly attempts: number;
}

/**
 * Sends what is due, a bounded number of messages. Several processes may do it at once; a message is sent again when its receiver
 * failed, later each time.
 *
 * @returns how many were taken
 */
export async function sendDue(store: Store, guarded: Pick<GuardedFetch, 'fetch'>, countMax: number): Promise<number> {
  const { rows } = await sql<Due>`
    update ws_deliveries d set attempts = d.attempts + 1, due_at = now() + make_interval(secs => ${claimSeconds} * (d.attempts + 1))
      from (select id from ws_deliveries where due_at <= now() order by due_at limit ${countMax} for update skip locked) due
     where d.id = due.id returning d.id, d.notification_id, d.payload, d.attempts`.execute(store.db);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ notification_id }) => notification_id);
  const { rows: receivers } = await sql<NotificationRow>`
    select * from ws_notifications where id = any(${ids}::text[])`.execute(store.db);
  const byId = new Map(receivers.map((one) => [one.id, one]));
  const taken = await eachOf(rows, atOnceMax, async ({ id, notification_id, payload, attempts }) => {
    const receiver = byId.get(notification_id);
    const success = receiver !== undefined && (await deliver(store, guarded, receiver, payload));
    if (success || receiver === undefined || attempts >= attemptsMax)
      await sql`delete from ws_deliveries where id = ${id}`.execute(store.db);
    return success;
  });
  return taken.filter(Boolean).length;
}
