import { sql, type Transaction } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { conflict, invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, oneOf, whole } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { afterPlan, isBeingCanceled, type RunStatus, stageStatus, stageStatuses } from '../run-lifecycle/status.ts';
import { isQueued, type Outcome, type RunRow } from '../run-lifecycle/store.ts';
import { type Actor, addEvent, stamp, takeLock, transition } from '../run-lifecycle/transition.ts';
import { triggerRuns } from '../run-lifecycle/trigger.ts';
import { beginStage } from '../run-tasks/stages.ts';

type Tx = Transaction<Database>;

const count = () => whole(0, 1_000_000_000);

/** Attributes of an agent's report on a plan or an apply. */
export const outcomeFields = {
  status: oneOf(['running', 'finished', 'errored', 'canceled']),
  'has-changes': flag(),
  'resource-additions': count(),
  'resource-changes': count(),
  'resource-destructions': count(),
  'resource-imports': count(),
};

/** A report may have any type. */
export const reportBody = document({ attributes: outcomeFields });

/** A run consists of a plan and an apply. */
export type Part = 'plan' | 'apply';

export interface Report {
  readonly run: RunRow;
  readonly part: Part;
  readonly caller: Actor;
  readonly attributes: Attributes<typeof outcomeFields>;
}

/** The statuses of a run before and during each part. */
const stages = {
  plan: { before: 'pending', during: 'planning' },
  apply: { before: 'confirmed', during: 'applying' },
} as const satisfies Record<Part, { before: RunStatus; during: RunStatus }>;

/**
 * Applies an agent's report on a part of a run. Repeated reports are accepted, since agents repeat reports that may have been lost.
 * Only the agent that reported the start of a part may report its end; any other caller must cancel the run.
 *
 * @throws ApiError 409 when the run is not next in the queue or not in this part, 422
 */
export async function report(
  tx: Tx,
  store: Pick<Store, 'barrier' | 'clock'>,
  { run, part, caller, attributes }: Report,
): Promise<void> {
  const { status, ...counts } = attributes;
  if (status === undefined) throw invalidAttribute('status', "Status can't be blank");
  const { before, during } = stages[part];
  if (run[part].status === status && status !== 'running') return;
  const asking = stageStatus(run);
  if (asking !== undefined) throw conflict(`This run waits for its run tasks and policies: it is ${asking}`);
  if (status === 'running') {
    if (run.status === during && run[part].agent === caller.id) return;
    if (run.status === during) throw conflict(`The ${part} of this run is running already, by another agent`);
    if (run.status !== before) throw conflict(`The ${part} of this run cannot begin: the run is ${run.status}`);
    await begin(tx, run, part);
  } else if (run.status !== during) throw conflict(`The ${part} of this run is not running: the run is ${run.status}`);
  else if (run[part].agent !== caller.id)
    throw conflict(`The ${part} of this run is being worked on by another agent, which reports its end`);
  const timestamps = timesOf(run[part], status, store.clock.now());
  const outcome = { ...run[part], ...counts, status, agent: caller.id, timestamps };
  await sql`
    update ws_runs set ${sql.raw(part)} = ${JSON.stringify(outcome)} where id = ${run.id}`.execute(tx);
  const mayAsk = part === 'plan' && status === 'finished' && !run.assessment && !isBeingCanceled(run);
  if (mayAsk && (await beginStage(tx, run, 'post_plan'))) {
    await stamp(tx, run.id, stageStatuses.post_plan_running.since);
    await addEvent(tx, run.id, 'post_plan_running', caller);
    return;
  }
  const next = status === 'running' ? during : afterwards(run, part, outcome);
  await transition(tx, run, next, caller);
  if (next !== 'applied') return;
  await triggerRuns(tx, store, run);
  await beginStage(tx, run, 'post_apply');
}

/** Runs of one workspace start in the order of their creation, one at a time. */
async function begin(tx: Tx, run: RunRow, part: Part): Promise<void> {
  if (part === 'plan') await mustBeReady(tx, run);
  if (run.assessment) return mustBeUnlocked(tx, run);
  if (run.plan_only || (part === 'plan' && run.settings['save-plan'] === true)) return;
  const { rows } = await sql`
    select 1 from ws_runs a where a.workspace_id = ${run.workspace_id} and a.id <> ${run.id} and ${isQueued('a')}
       and a.position < (select position from ws_runs where id = ${run.id})
       and ${part === 'plan'} limit 1`.execute(tx);
  if (rows.length > 0) throw conflict('The plan of this run cannot begin: another run of the workspace is ahead of it');
  if (!(await takeLock(tx, run))) throw conflict(`The ${part} of this run cannot begin: the workspace is locked`);
}

async function mustBeUnlocked(tx: Tx, { workspace_id: id }: RunRow): Promise<void> {
  const { rows } = await sql`select 1 from ws_workspaces where id = ${id} and lock_kind is null`.execute(tx);
  if (rows.length === 0) throw conflict('The assessment cannot begin: the workspace is locked');
}

async function mustBeReady(tx: Tx, { configuration_version_id }: RunRow): Promise<void> {
  const { rows } = await rowsOf({ status: text })`
    select status from ws_configuration_versions where id = ${configuration_version_id}`.execute(tx);
  if (rows[0]?.status !== 'uploaded') throw conflict('The plan of this run cannot begin: it has no configuration yet');
}

/** The status of a run after the end of a part. A cancel that was accepted holds even if the plan ends first; an apply that has finished has changed what it had to. */
export function afterwards(run: RunRow, part: Part, outcome: Outcome): RunStatus {
  if (outcome.status !== 'finished') return outcome.status === 'canceled' ? 'canceled' : 'errored';
  if (part === 'apply') return 'applied';
  if (isBeingCanceled(run)) return 'canceled';
  return afterPlan({
    planOnly: run.plan_only,
    savePlan: run.settings['save-plan'] === true,
    autoApply: run.auto_apply,
    applies: outcome['has-changes'] === true || run.settings['allow-empty-apply'] === true,
  });
}

const timesOf = ({ timestamps }: Outcome, status: string, now: Date): NonNullable<Outcome['timestamps']> => ({
  ...timestamps,
  [status === 'running' ? 'started-at' : `${status}-at`]: now.toISOString(),
});
