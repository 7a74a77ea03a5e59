import { type RawBuilder, sql } from 'kysely';
import type { Store } from '#store/store.ts';
import { newId } from '../../frame/ids.ts';
import { added, type Counts, type EvaluationStatus, noCounts } from '../policy-evaluations/view.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { now } from '../run-tasks/stages.ts';
import { settle } from '../task-results/settle.ts';
import type { Evaluated, SetOutcome } from './evaluate.ts';

/** An evaluation that a process has claimed. */
export interface ClaimedEvaluation {
  readonly id: string;
  readonly stageId: string;
  readonly runId: string;
  readonly workspaceId: string;
  readonly organizationId: string;
  readonly attempts: number;
}

/** An evaluation whose claim is still this one. */
const isClaimed = ({ id, attempts }: ClaimedEvaluation): RawBuilder<unknown> =>
  sql`id = ${id} and attempts = ${attempts} and next_at is not null`;

/** Stores what the policies say, and decides about the stage. A claim that was taken over changes nothing. @throws ApiError 404 */
export async function endEvaluation(store: Store, claimed: ClaimedEvaluation, evaluated: Evaluated): Promise<void> {
  const { id, runId, workspaceId, stageId } = claimed;
  const { status, overridable, counts } = verdictOn(evaluated.sets);
  await changeRun({ store }, { id: runId, workspace_id: workspaceId }, async (tx, run) => {
    const { numAffectedRows } = await sql`
      update ws_policy_evaluations set status = ${status}, overridable = ${overridable}, counts = ${JSON.stringify(counts)},
             tool_version = ${evaluated.toolVersion ?? null}, updated_at = now(), next_at = null, claimed_until = null,
             timestamps = timestamps || jsonb_build_object(${`${status}-at`}::text, ${now})
       where ${isClaimed(claimed)}`.execute(tx);
    if (numAffectedRows === 0n) return;
    for (const [position, one] of evaluated.sets.entries())
      await sql`
        insert into ws_policy_outcomes (id, evaluation_id, position, policy_set_name, policy_set_description, overridable, outcomes, counts, error)
        values (${newId('psout')}, ${id}, ${position}, ${one.set.name}, ${one.set.description}, ${one.set.overridable},
                ${JSON.stringify(one.outcomes)}, ${JSON.stringify(one.counts)}, ${one.error})`.execute(tx);
    await settle(tx, run, stageId);
  });
}

/** A mandatory policy that could not be evaluated counts as one that has found something. */
export function verdictOn(sets: readonly SetOutcome[]): {
  readonly status: Extract<EvaluationStatus, 'passed' | 'failed' | 'errored'>;
  readonly overridable: boolean;
  readonly counts: Counts;
} {
  const failing = sets.filter(({ outcomes }) =>
    outcomes.some((one) => one.enforcement_level === 'mandatory' && one.status !== 'passed'),
  );
  const hasFound = failing.some(({ counts }) => (counts['mandatory-failed'] ?? 0) > 0);
  return {
    status: failing.length === 0 ? 'passed' : hasFound ? 'failed' : 'errored',
    overridable: failing.length > 0 && failing.every(({ set }) => set.overridable),
    counts: sets.reduce((sum, { counts }) => added(sum, counts), noCounts),
  };
}

/** The process ends: another one evaluates at once. */
export async function putBack({ db }: Pick<Store, 'db'>, claimed: ClaimedEvaluation): Promise<void> {
  await sql`
    update ws_policy_evaluations set attempts = attempts - 1, claimed_until = null, next_at = now()
     where ${isClaimed(claimed)}`.execute(db);
}
