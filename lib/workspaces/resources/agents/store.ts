import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { notFound, unprocessable } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool } from '#store/sql/kinds.ts';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsAgentsTable } from '#store/tables/connections.ts';
import { newId } from '../../frame/ids.ts';

/** Agents of one pool, those that have not been seen for a while included. */
const agentsMax = 2_000;
/** An agent that has been silent for this long is shown as unknown. */
export const silentSeconds = 60;
/** Agents that have been silent for this long are forgotten. */
const forgottenHours = 24;

const columns = {
  ...wsAgentsTable,
  busy: bool,
  silent: bool,
};

const selected = sql`a.*, exists (select 1 from ws_run_jobs j where j.agent_id = a.id and j.lease_until > now()) as busy,
  a.last_ping_at < now() - make_interval(secs => ${silentSeconds}) as silent`;

type AgentRow = RowOf<typeof columns>;

/** The document of an agent. */
export const agentOf = (row: AgentRow): Resource => ({
  id: row.id,
  type: 'agents',
  attributes: {
    name: row.name,
    version: row.version,
    status: statusOf(row),
    'ip-address': row.ip_address,
    'last-ping-at': timeText(row.last_ping_at),
    'created-at': timeText(row.created_at),
  },
  relationships: { 'agent-pool': toOne('agent-pools', row.agent_pool_id) },
  links: { self: `/api/v2/agents/${row.id}` },
});

function statusOf({ busy, silent, exited }: AgentRow): 'idle' | 'busy' | 'unknown' | 'exited' {
  if (exited) return 'exited';
  if (silent) return 'unknown';
  return busy ? 'busy' : 'idle';
}

/** A page of the agents of a pool, oldest first. */
export async function listAgents({ db }: Pick<Store, 'db'>, poolId: string, page: Page): Promise<DocumentReply> {
  const { rows } = await pageRowsOf(columns)`
    select c.total, a.* from (select count(*)::integer as total from ws_agents where agent_pool_id = ${poolId}) c
      left join (select ${selected} from ws_agents a where a.agent_pool_id = ${poolId}
                  order by a.created_at, a.id limit ${page.size} offset ${page.offset}) a on true
     order by a.created_at, a.id`.execute(db);
  const data = rows.flatMap((row) => (row.id === null ? [] : [agentOf(row)]));
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
}

/** @throws ApiError 404 */
export async function readAgent({ db }: Pick<Store, 'db'>, id: string): Promise<AgentRow> {
  const { rows } = await rowsOf(columns)`select ${selected} from ws_agents a where a.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** @throws ApiError 422 when the pool has too many agents */
export async function registerAgent(
  { db }: Pick<Store, 'db'>,
  poolId: string,
  agent: { readonly name: string; readonly version: string; readonly ip: string | null },
): Promise<string> {
  const id = newId('agent');
  const { rows } = await sql`
    insert into ws_agents (id, agent_pool_id, name, version, ip_address)
    select ${id}, ${poolId}, ${agent.name}, ${agent.version}, ${agent.ip}
     where (select count(*) from ws_agents where agent_pool_id = ${poolId}) < ${agentsMax} returning 1`.execute(db);
  if (rows.length === 0) throw unprocessable(`An agent pool may have at most ${agentsMax} agents`);
  return id;
}

/** An agent, and the pool whose token it has. */
export interface AgentName {
  readonly agentId: string;
  readonly poolId: string;
}

/** Notes that an agent asks for work. Returns whether the pool has it. */
export async function greet(db: QueryExecutorProvider, { agentId, poolId }: AgentName): Promise<boolean> {
  const { rows } = await sql`
    update ws_agents set last_ping_at = now(), exited = false
     where id = ${agentId} and agent_pool_id = ${poolId} returning 1`.execute(db);
  return rows.length > 0;
}

/**
 * Notes that agents live, and returns those that exist. They are locked in the order of their ids, since two processes may note the same agents
 * at once. One that has exited may seem to wait, behind a proxy that keeps its connection.
 */
export async function pingAll(
  db: QueryExecutorProvider,
  ids: readonly string[],
): Promise<readonly RowOf<typeof pingedColumns>[]> {
  const { rows } = await rowsOf(pingedColumns)`
    with held as (select id from ws_agents where id = any(${ids}::text[]) order by id for no key update)
    update ws_agents a set last_ping_at = now() from held where a.id = held.id returning a.id, a.exited`.execute(db);
  return rows;
}

const pingedColumns = pick(wsAgentsTable, 'id', 'exited');

/** Notes that an agent lives. */
export const ping = (db: QueryExecutorProvider, id: string): Promise<unknown> =>
  sql`update ws_agents set last_ping_at = now(), exited = false where id = ${id}`.execute(db);

/** Notes that an agent takes no more work. */
export const exitAgent = ({ db }: Pick<Store, 'db'>, id: string): Promise<unknown> =>
  sql`update ws_agents set last_ping_at = now(), exited = true where id = ${id}`.execute(db);

const atWork: RawBuilder<unknown> = sql`exists (
  select 1 from ws_run_jobs j where j.agent_id = a.id and j.lease_until is not null)`;

/** Deletes an agent. @throws ApiError 422 while it lives or works on a run */
export async function removeAgent({ db }: Pick<Store, 'db'>, id: string): Promise<undefined> {
  const { rows } = await sql`
    delete from ws_agents a where a.id = ${id} and not ${atWork}
       and (a.exited or a.last_ping_at < now() - make_interval(secs => ${silentSeconds})) returning 1`.execute(db);
  if (rows.length > 0) return undefined;
  await readAgent({ db }, id);
  throw unprocessable('The agent still reports: stop it first');
}

/** Forgets at most `countMax` agents that have been silent for a day. */
export async function dropSilentAgents({ db }: Pick<Store, 'db'>, countMax: number): Promise<void> {
  await sql`
    delete from ws_agents where id in (
      select a.id from ws_agents a
       where a.last_ping_at < now() - make_interval(hours => ${forgottenHours}) and not ${atWork}
       order by a.last_ping_at limit ${countMax} for update skip locked)`.execute(db);
}

/** The number of agents of a pool that live. */
export const liveAgentsOf = (alias: string): RawBuilder<unknown> => sql`(
  select count(*)::int from ws_agents l where l.agent_pool_id = ${sql.ref(`${alias}.id`)} and not l.exited
     and l.last_ping_at > now() - make_interval(secs => ${silentSeconds}))`;
