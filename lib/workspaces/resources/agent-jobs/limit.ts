import { type QueryExecutorProvider, type RawBuilder, sql, type Transaction } from 'kysely';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { silentSeconds } from '../agents/store.ts';
import { isActive } from '../run-lifecycle/store.ts';

/** The number of runs of an organization that are planned or applied now. */
const inProgress = (organizationId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select count(*)::int from ws_runs b join ws_workspaces bw on bw.id = b.workspace_id
   where bw.organization_id = ${organizationId} and ${isActive('b')} and b.status in ('planning', 'applying'))`;

/** The condition that the organization `o` may have one more run in progress. */
export const hasRoom = (runsMax: number): RawBuilder<unknown> => sql`${inProgress(sql`o.id`)} < ${runsMax}`;

/** Applies go first and assessments last; else the workspaces that have the fewest runs in progress, then the oldest: one workspace does not hold up the others. */
export const inTurn = sql`r.status, r.assessment, (
  select count(*) from ws_runs b where b.workspace_id = r.workspace_id and ${isActive('b')} and b.status in ('planning', 'applying')), r.position`;

/** The condition that an agent of pool `a` could take work now. */
export const hasIdleAgent = sql`exists (
  select 1 from ws_agents i where i.agent_pool_id = a.id and not i.exited
     and i.last_ping_at > now() - make_interval(secs => ${silentSeconds})
     and not exists (select 1 from ws_run_jobs j where j.agent_id = i.id and j.lease_until > now()))`;

/**
 * How many runs of an organization may still begin. Takes of one organization are serialized until the transaction ends, so that two agents
 * do not take the last place both.
 */
export async function placesLeft(tx: Transaction<Database>, organizationId: string, runsMax: number): Promise<number> {
  await sql`select 1 from ws_organizations where id = ${organizationId} for no key update`.execute(tx);
  return runsMax - (await runsInProgress(tx, organizationId));
}

/** The runs of an organization in progress. */
export async function runsInProgress(db: QueryExecutorProvider, organizationId: string): Promise<number> {
  const { rows } = await rowsOf({ runs: int })`select ${inProgress(sql`${organizationId}`)} as runs`.execute(db);
  return rows[0]?.runs ?? 0;
}
