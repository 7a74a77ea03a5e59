import { type RawBuilder, sql, type Transaction } from 'kysely';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { jsonObject } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsDeliveriesTable } from '#store/tables/connections.ts';
import type { Database } from '#store/tables.ts';
import type { SendParts } from '../../contract.ts';
import type { Trigger } from '../notification-configurations/fields.ts';
import type { NotificationRow } from '../notification-configurations/view.ts';
import { deliver } from './deliver.ts';
import { endTurn, type Turn } from './turns.ts';

/** The run that a message is about. */
export interface AnnouncedRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly status: string;
  readonly message: string;
}

/** Attempts for one message; a receiver may be unavailable for a while. */
const attemptsMax = 4;
/** Older messages are outdated and dropped. */
const messageHoursMax = 24;
/** Messages waiting for one receiver; further ones are dropped. */
const waitingMax = 1_000;

/** Receivers of one event of a run. */
const receiversMax = 200;

/**
 * Queues messages about a change, in its transaction, for all configurations that cover the workspace. They are sent after the
 * commit, at least once. All receivers are locked in one order, whether messages wait for them or not, since the end of a turn
 * checks for waiting messages, and receivers of a project or a team cover many workspaces.
 */
export async function announce(tx: Transaction<Database>, run: AnnouncedRun, trigger: Trigger): Promise<void> {
  const { id, workspaceId, status, message } = run;
  await sql`
    with ${receiversOf(workspaceId, trigger)}
    insert into ws_deliveries (notification_id, payload)
    select n.id, jsonb_build_object('payload_version', 1, 'notification_configuration_id', n.id,
             'run_url', coalesce(n.origin, '') || '/app/' || o.name || '/workspaces/' || w.name || '/runs/' || ${id}::text,
             'run_id', ${id}::text, 'run_message', ${message}::text, 'run_created_at', ${timeInPayload(sql`r.created_at`)},
             'run_created_by', ${nameOf(sql`r.created_by`)}, 'workspace_id', w.id, 'workspace_name', w.name,
             'organization_name', o.name, 'notifications', jsonb_build_array(jsonb_build_object(
               'message', ${sentenceOf(trigger, status)}::text, 'trigger', ${trigger}::text, 'run_status', ${status}::text,
               'run_updated_at', ${timeInPayload(sql`now()`)}, 'run_updated_by', ${nameOf(sql`e.created_by`)})))
      from receivers n join ws_workspaces w on w.id = ${workspaceId} join ws_organizations o on o.id = w.organization_id
      left join ws_runs r on r.id = ${id}
      left join lateral (select created_by from ws_run_events where run_id = r.id order by position desc limit 1) e on true
     where ${hasRoom}`.execute(tx);
}

const timeInPayload = (time: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The name of a user, a team or an agent by its id. */
const nameOf = (id: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce(
  (select username from ws_users where id = ${id}), (select name from ws_teams where id = ${id}),
  (select name from ws_agents where id = ${id}))`;

/** What happened, such as `Run Planned and Finished`. */
function sentenceOf(trigger: Trigger, status: string): string {
  const words = trigger === 'run:created' ? ['created'] : status.split('_');
  return [
    'Run',
    ...words.map((word) => (word === 'and' ? word : `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)),
  ].join(' ');
}

/** The configurations that cover the workspace `w`: its own, those of its project, and those of teams with access to either. */
const ofWorkspace = sql`(
  select id from ws_notifications where workspace_id = w.id
  union all
  select id from ws_notifications where project_id = w.project_id
  union all
  select id from ws_notifications
   where team_id in (select g.team_id from ws_grants g where g.workspace_id = w.id or g.project_id = w.project_id))`;

/** The `receivers` of a message about a workspace, whose turn begins with the statement. */
export const receiversOf = (workspaceId: string, trigger: Trigger): RawBuilder<unknown> => sql`wanting as (
    select n.id from ws_notifications n
     where n.id in (select f.id from ws_workspaces w cross join lateral ${ofWorkspace} f where w.id = ${workspaceId})
       and n.settings->'enabled' = 'true' and n.settings->'triggers' @> to_jsonb(${trigger}::text)
     order by n.id limit ${receiversMax} for no key update
  ), receivers as (
    update ws_notifications n set next_at = coalesce(n.next_at, now()) from wanting where n.id = wanting.id returning n.id, n.origin)`;

/** Whether the receiver `n` may wait for another message. */
export const hasRoom = sql`
  (select count(*) from (select 1 from ws_deliveries d where d.notification_id = n.id limit ${waitingMax}) d) < ${waitingMax}`;

type Waiting = RowOf<typeof waitingColumns>;

const waitingColumns = { ...pick(wsDeliveriesTable, 'id', 'attempts', 'settled'), payload: jsonObject };

/** Sends the oldest waiting message to a receiver that the caller has claimed. `signal` aborts the attempt. */
export async function sendNext(
  store: Store,
  parts: SendParts,
  receiver: NotificationRow,
  signal: AbortSignal,
): Promise<void> {
  const message = await oldest(store, receiver.id);
  if (message === undefined) return store.transaction((tx) => endTurn(tx, receiver.id, 'taken'));
  const { delivery, taken, settled } = await deliver(store, parts, receiver, message, signal);
  const turn: Turn = taken ? 'taken' : delivery === undefined ? 'put-back' : 'failed';
  await store.transaction(async (tx) => {
    await settle(tx, { ...message, settled }, turn);
    await endTurn(tx, receiver.id, turn);
  });
  if (turn !== 'put-back') parts.see('notification', resultOf(turn, message));
}

const resultOf = (turn: Turn, { attempts }: Waiting) =>
  turn === 'taken' ? 'done' : attempts + 1 < attemptsMax ? 'failed' : 'dead';

async function oldest({ db }: Pick<Store, 'db'>, receiverId: string): Promise<Waiting | undefined> {
  await sql`
    delete from ws_deliveries
     where notification_id = ${receiverId} and made_at < now() - make_interval(hours => ${messageHoursMax})`.execute(
    db,
  );
  const { rows } = await rowsOf(waitingColumns)`
    select id, payload, attempts, settled from ws_deliveries where notification_id = ${receiverId} order by id limit 1`.execute(
    db,
  );
  return rows[0];
}

async function settle(tx: Transaction<Database>, { id, attempts, settled }: Waiting, turn: Turn): Promise<void> {
  if (turn === 'put-back') return;
  if (turn === 'taken' || attempts + 1 >= attemptsMax)
    await sql`delete from ws_deliveries where id = ${id}`.execute(tx);
  else await sql`update ws_deliveries set attempts = attempts + 1, settled = ${settled} where id = ${id}`.execute(tx);
}
