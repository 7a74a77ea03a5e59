import { notFound } from '#path/jsonapi/error.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { noun, parameterOf } from './noun.ts';

/** An agent by the path's `agent_id`, for the token of its pool. */
export const agent = noun(
  async ({ db }, { caller, parameters }) => {
    const id = parameterOf(parameters, 'agent_id');
    const { rows } = await rowsOf({ id: text })`
      select id from ws_agents where id = ${id} and agent_pool_id = ${caller.id}`.execute(db);
    if (caller.kind !== 'agents' || rows.length === 0) throw notFound();
    return { id, poolId: caller.id, organizationId: caller.organizationId };
  },
  { work: () => true },
);

/** The result of a run task by the path's `task_result_id`, for the token that its service got with the request. */
export const taskResult = noun(
  async (_store, { caller, parameters }) => {
    if (caller.kind !== 'task' || caller.id !== parameterOf(parameters, 'task_result_id')) throw notFound();
    return caller;
  },
  { report: () => true },
);

/** The plan or apply by the path's `job_id`, for the token of its run. */
export const job = noun(
  async (_store, { caller, parameters }) => {
    const id = parameterOf(parameters, 'job_id');
    if (caller.kind !== 'run' || id !== caller.id.replace(/^run-/, `${caller.part}-`)) throw notFound();
    return caller;
  },
  { work: () => true },
);
