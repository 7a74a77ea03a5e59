import { sql, type Transaction } from 'kysely';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsRunJobsTable } from '#store/tables/runs.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { Part } from '../plans-and-applies/report.ts';
import { isBeingCanceled, queuedStatuses } from '../run-lifecycle/status.ts';
import { type Outcome, type RunRow, readRun } from '../run-lifecycle/store.ts';
import { type Actor, addEvent, queuePlans, release, timeOfStatement, transition } from '../run-lifecycle/transition.ts';
import { addToLog } from './logs.ts';
import { leaseSeconds } from './take.ts';

type Tx = Transaction<Database>;

/** A part whose agents are lost is queued again until it was taken this often. */
const takesMax = 3;

/** Ends the lease of a job, and with it its token. */
export const endLease = (tx: Tx, { id, part }: { readonly id: string; readonly part: Part }): Promise<unknown> =>
  sql`update ws_run_jobs set hash = null, lease_until = null where run_id = ${id} and part = ${part}`.execute(tx);

const lostColumns = {
  ...pick(wsRunJobsTable, 'run_id', 'part', 'epoch'),
  agent_id: text,
  workspace_id: text,
};

type Lost = RowOf<typeof lostColumns>;

/**
 * Ends at most `countMax` leases that have expired. A plan is queued again, since it changed nothing, and so is an apply whose agent never used
 * its token, and so never learned what to do. Any other apply may have changed anything, so its run ends as errored and is never applied again.
 */
export async function endLostJobs(store: Store, countMax: number): Promise<void> {
  const { rows } = await rowsOf(lostColumns)`
    select j.run_id, j.part, j.epoch, coalesce(j.agent_id, '') as agent_id, r.workspace_id
      from ws_run_jobs j join ws_runs r on r.id = j.run_id
     where j.lease_until < now() order by j.lease_until limit ${countMax}`.execute(store.db);
  for (const lost of rows) await store.transaction((tx) => endLost(tx, store, lost));
}

async function endLost(tx: Tx, store: Store, lost: Lost): Promise<void> {
  const { run_id: id, part, epoch } = lost;
  await holdWorkspace(tx, lost.workspace_id);
  const { rows } = await rowsOf({ unused: bool })`
    update ws_run_jobs set hash = null, lease_until = null, unused_until = case when unused_until = lease_until then unused_until end
     where run_id = ${id} and part = ${part} and epoch = ${epoch} and lease_until < now()
    returning unused_until is not null as unused`.execute(tx);
  const [job] = rows;
  if (job === undefined) return;
  const run = await readRun(tx, id);
  // Canceled by force, for example.
  if (run.status !== (part === 'plan' ? 'planning' : 'applying'))
    return addToLog(tx, store, { run, part }, { isOver: true });
  const actor: Actor = { kind: 'agent', id: lost.agent_id };
  const silent = `The agent ${lost.agent_id} has not reported for ${leaseSeconds} seconds.`;
  if (isBeingCanceled(run))
    return finish(tx, store, { run, part, actor }, 'canceled', `${silent} The run was canceled.`);
  const isHarmless = part === 'plan' || job.unused;
  if (isHarmless && epoch < takesMax) return again(tx, store, { run, part, actor }, silent);
  const why = isHarmless
    ? `The ${part} was tried ${takesMax} times.`
    : 'The apply is not repeated: look at what it has changed before you start another run.';
  return finish(tx, store, { run, part, actor }, 'errored', `${silent} ${why}`);
}

interface Ending {
  readonly run: RunRow;
  readonly part: Part;
  readonly actor: Actor;
}

async function finish(
  tx: Tx,
  store: Store,
  { run, part, actor }: Ending,
  status: 'errored' | 'canceled',
  sentence: string,
): Promise<void> {
  const timestamps = { ...run[part].timestamps, [`${status}-at`]: store.clock.now().toISOString() };
  const outcome: Outcome = { ...run[part], status, timestamps };
  await sql`update ws_runs set ${sql.ref(part)} = ${JSON.stringify(outcome)} where id = ${run.id}`.execute(tx);
  await addToLog(tx, store, { run, part }, { sentence, isOver: true });
  await transition(tx, run, status, actor);
}

/** Puts a part back into the queue. An apply keeps the lock, and its run tasks are not asked again. */
async function again(tx: Tx, store: Store, { run, part, actor }: Ending, silent: string): Promise<void> {
  const back =
    part === 'plan'
      ? sql`status = 'pending', plan = '{}', timestamps = timestamps - 'planning-at' - 'plan-queued-at'`
      : sql`status = 'confirmed', apply = '{}',
            timestamps = timestamps - 'applying-at' || jsonb_build_object(${queuedStatuses.apply_queued.since}::text, ${timeOfStatement})`;
  await sql`update ws_runs set ${back}, updated_at = now() where id = ${run.id}`.execute(tx);
  await addToLog(tx, store, { run, part }, { sentence: `${silent} The ${part} is queued again.`, isOver: false });
  await addEvent(tx, run.id, `${part}_requeued`, actor);
  if (part === 'apply') return;
  await release(tx, run.workspace_id, run.id);
  await queuePlans(tx, run.workspace_id);
}
