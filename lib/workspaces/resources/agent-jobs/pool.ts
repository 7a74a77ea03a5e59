import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { serves } from '../agent-pools/scopes.ts';
import { isActive, isAsking } from '../run-lifecycle/store.ts';
import { hasIdleAgent, hasRoom, inTurn } from './limit.ts';

/** The execution mode of workspace `w` of project `p` and organization `o`. */
export const modeOfWorkspace = sql`coalesce(w.execution_mode, p.default_execution_mode, o.default_execution_mode)`;

/**
 * The pool whose agents execute the runs of workspace `w` of project `p` and organization `o`: its own in the mode `agent`, in the mode `remote`
 * the default pool of the organization, since this installation has no workers of its own.
 */
const poolOfWorkspace = sql`
  case ${modeOfWorkspace}
    when 'agent' then case when w.execution_mode is not null then w.agent_pool_id
                           when p.default_execution_mode is not null then p.default_agent_pool_id
                           else o.default_agent_pool_id end
    when 'remote' then o.default_agent_pool_id end`;

/** The scope of a pool may have changed since the workspace chose it. */
export const stillServes = serves('a', { workspaceId: sql`w.id`, projectId: sql`w.project_id` });

/** Runs `r` with work for agents of pool `a`. Active runs are few, and have an index. Assessments take no lock, but wait for it: what a run changes is no drift. */
const waiting = sql`
  ws_runs r join ws_workspaces w on w.id = r.workspace_id
    join ws_projects p on p.id = w.project_id
    join ws_organizations o on o.id = w.organization_id and o.removed_at is null
    join ws_agent_pools a on a.id = (${poolOfWorkspace}) and a.organization_id = o.id
   where ${isActive('r')} and (r.status = 'confirmed' and not ${isAsking('r', 'pre_apply_running')} or r.status = 'pending' and r.timestamps ? 'plan-queued-at')
     and (w.lock_kind is null or w.lock_holder = r.id
          or r.status = 'pending' and (r.plan_only and not r.assessment or r.settings->'save-plan' = 'true'))
     and (${stillServes})`;

/** Runs of a pool with work for its agents, whatever they wait for. */
export const waitingIn = (poolId: string): RawBuilder<unknown> => sql`${waiting} and a.id = ${poolId}`;

/** What decides on the runs that can be taken now. */
export interface Rules {
  /** Runs of one organization in progress at the same time. */
  readonly runsMax: number;
  /** The condition that run `r` of workspace `w` waits for something else. */
  readonly isHeld: RawBuilder<unknown>;
}

const ready = ({ runsMax, isHeld }: Rules) => sql`${hasRoom(runsMax)} and not ${isHeld}`;

/** The workspace `w` with the pool `a` that is to execute its runs, which may be missing or serve it no longer: see `stillServes`. */
export const chosenPoolOf = (workspaceId: string): RawBuilder<unknown> => sql`
  ws_workspaces w join ws_projects p on p.id = w.project_id join ws_organizations o on o.id = w.organization_id
    left join ws_agent_pools a on a.id = (${poolOfWorkspace}) and a.organization_id = o.id
   where w.id = ${workspaceId}`;

export interface Candidate {
  readonly runId: string;
  readonly workspaceId: string;
}

/** Work for agents of a pool, in its turn. */
export async function candidates(
  db: QueryExecutorProvider,
  poolId: string,
  {
    only = sql`true`,
    countMax,
    rules,
  }: { readonly only?: RawBuilder<unknown>; readonly countMax: number; readonly rules: Rules },
): Promise<readonly Candidate[]> {
  const { rows } = await rowsOf({ run_id: text, workspace_id: text })`
    select r.id as run_id, r.workspace_id from ${waitingIn(poolId)} and ${ready(rules)} and ${only}
     order by ${inTurn} limit ${countMax}`.execute(db);
  return rows.map(({ run_id: runId, workspace_id: workspaceId }) => ({ runId, workspaceId }));
}

/**
 * Whether it is the turn of a run when the organization has only so many places left: those that wait for an idle agent of any pool take them in
 * turn. So a pool whose agents ask more often gets no more than its turn.
 */
export async function isItsTurn(
  db: QueryExecutorProvider,
  { organizationId, runId }: { readonly organizationId: string; readonly runId: string },
  { places, rules }: { readonly places: number; readonly rules: Rules },
): Promise<boolean> {
  const { rows } = await rowsOf({ run_id: text })`
    select r.id as run_id from ${waiting} and o.id = ${organizationId} and not ${rules.isHeld} and (r.id = ${runId} or ${hasIdleAgent})
     order by ${inTurn} limit ${Math.max(0, places)}`.execute(db);
  return rows.some(({ run_id }) => run_id === runId);
}

/** The number of runs that agents of these pools could take now. Pools without any are absent. */
export async function waitingCounts(
  db: QueryExecutorProvider,
  poolIds: readonly string[],
  rules: Rules,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await rowsOf({ pool_id: text, runs: int })`
    select a.id as pool_id, count(*)::int as runs from ${waiting} and a.id = any((select ${poolIds}::text[])::text[])
       and ${ready(rules)}
     group by a.id`.execute(db);
  return new Map(rows.map(({ pool_id, runs }) => [pool_id, runs]));
}
