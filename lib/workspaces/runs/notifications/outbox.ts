import { sql, type Transaction } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { MessageParts } from '../../contract.ts';
import type { Outgoing } from './attempt.ts';
import { deliver } from './deliver.ts';
import type { Trigger } from './fields.ts';
import { endTurn, type Turn } from './turns.ts';
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
/** After that a message says nothing of now. */
const messageHoursMax = 24;
/** For one receiver; further messages are not kept until it takes some. */
const waitingMax = 1_000;

/** Of one event of a run. */
const receiversMax = 200;

/**
 * Notes within the transaction of a change what is to be told of it, to all configurations that want to know of the workspace. It
 * is sent after the commit, at least once. Each receiver is locked, waiting or not, and all in one order: the end of its turn looks
 * at what waits for it, and receivers of a project or a team hear of many workspaces.
 */
export async function announce(tx: Transaction<Database>, run: ToldRun, trigger: Trigger): Promise<void> {
  const { id, workspaceId, status, message } = run;
  await sql`
    with wanting as (
      select n.id from ws_notifications n
       where n.id in (select f.id from ws_workspaces w cross join lateral ${ofWorkspace} f where w.id = ${workspaceId})
         and n.settings->'enabled' = 'true' and n.settings->'triggers' @> to_jsonb(${trigger}::text)
       order by n.id limit ${receiversMax} for no key update
    ), receivers as (
      update ws_notifications n set next_at = coalesce(n.next_at, now()) from wanting where n.id = wanting.id returning n.id)
    insert into ws_deliveries (notification_id, payload)
    select n.id, jsonb_build_object('payload_version', 1, 'notification_configuration_id', n.id,
             'run_url', '/app/' || o.name || '/workspaces/' || w.name || '/runs/' || ${id}::text,
             'run_id', ${id}::text, 'run_message', ${message}::text, 'workspace_id', w.id, 'workspace_name', w.name,
             'organization_name', o.name, 'notifications', jsonb_build_array(jsonb_build_object(
               'trigger', ${trigger}::text, 'run_status', ${status}::text, 'run_updated_at', now())))
      from receivers n join ws_workspaces w on w.id = ${workspaceId} join ws_organizations o on o.id = w.organization_id
     where (select count(*) from (select 1 from ws_deliveries d where d.notification_id = n.id limit ${waitingMax}) d) < ${waitingMax}
  `.execute(tx);
}

/** The configurations that tell of the workspace `w`: its own, those of its project, and those of teams with access to one of the two. */
const ofWorkspace = sql`(
  select id from ws_notifications where workspace_id = w.id
  union all
  select id from ws_notifications where project_id = w.project_id
  union all
  select id from ws_notifications
   where team_id in (select g.team_id from ws_grants g where g.workspace_id = w.id or g.project_id = w.project_id))`;

interface Waiting extends Outgoing {
  readonly id: string;
  readonly attempts: number;
}

/** Sends to a receiver, which the caller has claimed, the oldest message that waits for it. `signal` cuts it short. */
export async function sendNext(
  store: Store,
  parts: MessageParts,
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
}

async function oldest({ db }: Pick<Store, 'db'>, receiverId: string): Promise<Waiting | undefined> {
  await sql`
    delete from ws_deliveries
     where notification_id = ${receiverId} and made_at < now() - make_interval(hours => ${messageHoursMax})`.execute(
    db,
  );
  const { rows } = await sql<Waiting>`
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
