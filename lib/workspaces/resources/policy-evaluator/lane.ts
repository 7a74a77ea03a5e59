import type { Lane } from '#core/concurrency/take-turns.ts';
import { ApiError } from '#path/jsonapi/error.ts';
import { fairTurns } from '#store/postgres/statements/tenants.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { now } from '../run-tasks/stages.ts';
import { type ClaimedEvaluation, endEvaluation, putBack } from './end.ts';
import { evaluate, evaluationMsMax, type Tool } from './evaluate.ts';
import { runFacts } from './material.ts';

/** Evaluations of one process at once: each keeps a processor busy. */
const atOnceMax = 2;
/** Evaluations of one organization at once, over all processes. */
const ofOrganizationMax = 2;
/** Longer than an evaluation takes. Afterwards another process may take over from one that died. */
const claimSeconds = evaluationMsMax / 1_000 + 60;
/** Processes that may die of one plan. */
const attemptsMax = 3;

/** Evaluates the policies of plans until `signal` aborts. Several processes may do this concurrently. */
export const policyLane = (store: Store, program: string | undefined, signal: AbortSignal): Lane => ({
  atOnceMax,
  claim: async (room) =>
    (await claim(store, room)).map((claimed) => () => turn(store, program, claimed, signal).catch(unlessGone)),
});

/** The workspace was deleted with its runs. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

const turns = {
  table: 'ws_policy_evaluations',
  tenant: 'organization_id',
  due: 'next_at',
  ofTenantMax: ofOrganizationMax,
};

async function claim({ db }: Store, countMax: number): Promise<readonly ClaimedEvaluation[]> {
  const { rows } = await rowsOf({
    id: text,
    attempts: int,
    stage_id: text,
    organization_id: text,
    run_id: text,
    workspace_id: text,
  })`
    with recursive ${fairTurns({ ...turns, countMax })},
    claimed as (
      update ws_policy_evaluations e set attempts = attempts + 1, status = 'running', updated_at = now(),
             timestamps = timestamps || jsonb_build_object('running-at', ${now}),
             claimed_until = now() + make_interval(secs => ${claimSeconds}), next_at = now() + make_interval(secs => ${claimSeconds})
        from free where e.id = free.id returning e.id, e.attempts, e.stage_id, e.organization_id)
    select c.*, s.run_id, r.workspace_id from claimed c
      join ws_task_stages s on s.id = c.stage_id join ws_runs r on r.id = s.run_id`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    attempts: row.attempts,
    stageId: row.stage_id,
    organizationId: row.organization_id,
    runId: row.run_id,
    workspaceId: row.workspace_id,
  }));
}

function toolFor({ attempts }: ClaimedEvaluation, program: string | undefined): Tool {
  if (program === undefined) return { problem: 'This service has no opa: its operator names one in KEYFERRY_OPA.' };
  if (attempts > attemptsMax) return { problem: `The evaluation did not end in ${attemptsMax} attempts.` };
  return { program };
}

async function turn(
  store: Store,
  program: string | undefined,
  claimed: ClaimedEvaluation,
  signal: AbortSignal,
): Promise<void> {
  try {
    const facts = await runFacts(store, claimed.id);
    if (facts === undefined) return;
    await endEvaluation(store, claimed, await evaluate(store, toolFor(claimed, program), facts, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
    await putBack(store, claimed);
  }
}
