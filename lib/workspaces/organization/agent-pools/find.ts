import { sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { type Standing, standingOf } from '../../access/standing.ts';
import { type AgentPoolRow, agentPoolColumns } from './view.ts';

export interface FoundPool {
  readonly pool: AgentPoolRow;
  readonly standing: Standing;
  /** Who may not change a pool may choose it for a workspace. */
  readonly mayManage: boolean;
}

/** The pool that a path names. @throws ApiError 404: it is not there, or the caller does not belong to its organization */
export async function findPool(store: Pick<Store, 'db'>, { caller, parameters }: ApiCall): Promise<FoundPool> {
  const id = parameters['agent_pool_id'] ?? '';
  const standing = await standingOf(store, caller, sql`(select organization_id from ws_agent_pools where id = ${id})`);
  const pool = await readPool(store, standing, id);
  return { pool, standing, mayManage: standing.may('manage-agent-pools') };
}

/** @throws ApiError 404 when it has gone meanwhile */
export async function readPool({ db }: Pick<Store, 'db'>, standing: Standing, id: string): Promise<AgentPoolRow> {
  const { rows } = await sql<AgentPoolRow>`
    select ${agentPoolColumns(standing)} from ws_agent_pools p where p.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
