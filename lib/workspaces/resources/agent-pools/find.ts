import { notFound } from '#path/jsonapi/error.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { type AgentPoolRow, agentPoolColumns, agentPoolRowColumns } from './view.ts';

/** @throws ApiError 404 when the pool was deleted meanwhile */
export async function readPool({ db }: Pick<Store, 'db'>, standing: Standing, id: string): Promise<AgentPoolRow> {
  const { rows } = await rowsOf(agentPoolRowColumns)`
    select ${agentPoolColumns(standing)} from ws_agent_pools p where p.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
