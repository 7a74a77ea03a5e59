import { sql, type Transaction } from 'kysely';
import { attributesOf } from '../../../../path/jsonapi/body.ts';
import { conflict, invalidAttribute } from '../../../../path/jsonapi/error.ts';
import { flag, oneOf, whole } from '../../../../path/jsonapi/fields.ts';
import type { ApiCall } from '../../../../path/jsonapi/row.ts';
import type { Store } from '../../../../store/store.ts';
import type { Database } from '../../../../store/tables.ts';
import { triggerRuns } from '../create/trigger.ts';
import { afterPlan, type RunStatus } from '../status.ts';
import { isQueued, type Outcome, type RunRow } from '../store.ts';
import { takeLock, transition } from '../transition.ts';

type Tx = Transaction<Database>;

const count = () => whole(0, 1_000_000_000);

/** What an agent says of a plan or an apply. */
const outcomeFields = {
  status: oneOf(['running', 'finished', 'errored', 'canceled']),
  'has-changes': flag(),
  ...{ 'resource-additions': count(), 'resource-changes': count() },
  ...{ 'resource-destructions': count(), 'resource-imports': count() },
};

/** Of what a run consists. */
export type Part = 'plan' | 'apply';

export interface Report {
  readonly run: RunRow;
  readonly part: Part;
  /** Its document says what became of the part. */
  readonly call: ApiCall;
}

/** Statuses of a run between which an agent moves it, by its part. */
const stages = {
  plan: { before: 'pending', during: 'planning' },
  apply: { before: 'confirmed', during: 'applying' },
} as const satisfies Record<Part, { before: RunStatus; during: RunStatus }>;

/**
 * Takes what an agent says of a part of a run. What it has said before is no mistake: agents repeat what they do not know to have
 * arrived. The end of a part comes from the agent that reported its beginning; others cancel the run.
 *
 * @throws ApiError 409 when it is not the run's turn or not at that part, 422
 */
export async function report(
  tx: Tx,
  store: Pick<Store, 'barrier' | 'clock'>,
  { run, part, call }: Report,
): Promise<void> {
  const { status, ...counts } = attributesOf(call, undefined, outcomeFields);
  if (status === undefined) throw invalidAttribute('status', "Status can't be blank");
  const { before, during } = stages[part];
  if (run[part].status === status && status !== 'running') return;
  if (status === 'running') {
    if (run.status === during && run[part].agent === call.caller.id) return;
    if (run.status === during) throw conflict(`The ${part} of this run is running already, by another agent`);
    if (run.status !== before) throw conflict(`The ${part} of this run cannot begin: the run is ${run.status}`);
    await begin(tx, run, part);
  } else if (run.status !== during) throw conflict(`The ${part} of this run is not running: the run is ${run.status}`);
  else if (run[part].agent !== call.caller.id)
    throw conflict(`The ${part} of this run is being worked on by another agent, which reports its end`);
  const timestamps = timesOf(run[part], status, store.clock.now());
  const outcome = { ...run[part], ...counts, status, agent: call.caller.id, timestamps };
  await sql`
    update ws_runs set ${sql.raw(part)} = ${JSON.stringify(outcome)} where id = ${run.id}`.execute(tx);
  const next = status === 'running' ? during : afterwards(run, part, outcome);
  await transition(tx, run, next, call.caller);
  if (next === 'applied') await triggerRuns(tx, store, run);
}

/** Two of one workspace never run at once, in the order in which they were made. */
async function begin(tx: Tx, run: RunRow, part: Part): Promise<void> {
  if (part === 'plan') await mustBeReady(tx, run);
  if (run.plan_only || (part === 'plan' && run.settings['save-plan'] === true)) return;
  const { rows } = await sql`
    select 1 from ws_runs a where a.workspace_id = ${run.workspace_id} and a.id <> ${run.id} and ${isQueued('a')}
       and a.position < (select position from ws_runs where id = ${run.id})
       and ${part === 'plan'} limit 1`.execute(tx);
  if (rows.length > 0) throw conflict('The plan of this run cannot begin: another run of the workspace goes before it');
  if (!(await takeLock(tx, run))) throw conflict(`The ${part} of this run cannot begin: the workspace is locked`);
}

async function mustBeReady(tx: Tx, { configuration_version_id }: RunRow): Promise<void> {
  const { rows } = await sql<{ status: string }>`
    select status from ws_configuration_versions where id = ${configuration_version_id}`.execute(tx);
  if (rows[0]?.status !== 'uploaded') throw conflict('The plan of this run cannot begin: it has no configuration yet');
}

function afterwards(run: RunRow, part: Part, outcome: Outcome): RunStatus {
  if (outcome.status !== 'finished') return outcome.status === 'canceled' ? 'canceled' : 'errored';
  if (part === 'apply') return 'applied';
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
