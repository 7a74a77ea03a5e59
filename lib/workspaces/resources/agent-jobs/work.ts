import { sql, type Transaction } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { ApiReply } from '#path/jsonapi/row.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdsJob, type RunCaller } from '../../access/job.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { ping } from '../agents/store.ts';
import { type Counted, recordCounts } from '../assessment-runs/counted.ts';
import { type outcomeFields, report } from '../plans-and-applies/report.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { readRun } from '../run-lifecycle/store.ts';
import { appendBlob, sizeOf } from '../state-blobs/append.ts';
import { blobReply } from '../state-blobs/read.ts';
import { attachBlob, dropBlob, writeBlob } from '../state-blobs/write.ts';
import { endLease } from './end.ts';
import { addToLog } from './logs.ts';
import { jobIdOf, leaseOf } from './material.ts';
import { leaseSeconds } from './take.ts';

type Tx = Transaction<Database>;
type Parts = Pick<WorkspaceParts, 'store'>;

/** The requests of an agent about its job. Each of them checks in its transaction that the agent still has the job. */
async function mustHold(tx: Tx, job: RunCaller): Promise<void> {
  if (!(await holdsJob(tx, job))) throw notFound();
}

/** Extends the lease. The reply says whether the run is to be canceled. */
export async function extendLease({ store }: Parts, job: RunCaller): Promise<ApiReply> {
  await store.transaction(async (tx) => {
    await mustHold(tx, job);
    await sql`
      update ws_run_jobs set lease_until = now() + make_interval(secs => ${leaseSeconds})
       where run_id = ${job.id} and part = ${job.part} and epoch = ${job.epoch}`.execute(tx);
  });
  await ping(store.db, job.agentId);
  return leaseReply({ store }, job);
}

async function leaseReply({ store }: Parts, job: RunCaller): Promise<ApiReply> {
  const run = await readRun(store.db, job.id);
  return { data: { id: jobIdOf(job), type: 'agent-jobs', attributes: leaseOf(run) } };
}

const logColumns = { plan: 'plan_log_id', apply: 'apply_log_id' } as const;

/** Appends to the log, and answers with its size. Without `offset` nothing is appended. */
export async function writeLog(
  { store }: Parts,
  job: RunCaller,
  { offset, bytes }: { readonly offset: number | undefined; readonly bytes: Buffer },
): Promise<ApiReply> {
  const size = await store.transaction(async (tx) => {
    await mustHold(tx, job);
    const { [logColumns[job.part]]: id } = await readRun(tx, job.id);
    if (id === null) throw notFound();
    if (offset === undefined) return sizeOf(tx, store, id);
    return appendBlob(tx, store, { id, offset, bytes });
  });
  return { data: { id: jobIdOf(job), type: 'agent-jobs', attributes: { 'log-bytes': size } } };
}

/** A file that a plan leaves: for the apply, or for readers of the plan. */
export type PlanFile = 'plan_file_id' | 'plan_json_id' | 'plan_redacted_id';

/** Stores a file of a plan, replacing the present one. */
export async function writePlanFile(
  { store }: Parts,
  job: RunCaller,
  column: PlanFile,
  stream: AsyncIterable<Buffer>,
): Promise<ApiReply> {
  if (job.part !== 'plan') throw unprocessable('only the plan has this file');
  const blob = await writeBlob(store, { workspaceId: job.workspaceId, kind: 'plan' }, stream);
  try {
    await store.transaction(async (tx) => {
      await mustHold(tx, job);
      await attachBlob(tx, store, blob);
      const old = await fileOf(tx, job.id, column);
      await sql`
        update ws_run_jobs set ${sql.ref(column)} = ${blob.id} where run_id = ${job.id} and part = 'plan'`.execute(tx);
      await sql`delete from ws_blobs where id = ${old}`.execute(tx);
    });
  } catch (error) {
    await dropBlob(store, blob.id);
    throw error;
  }
  return { data: { id: jobIdOf(job), type: 'agent-jobs', attributes: { bytes: blob.bytes } } };
}

/** A file of the plan of a run. @throws ApiError 404 without one */
export const readPlanFile = async (store: Store, runId: string, column: PlanFile): Promise<ApiReply> =>
  blobReply(store, await fileOf(store.db, runId, column));

async function fileOf(db: Tx | Store['db'], runId: string, column: PlanFile): Promise<string | null> {
  const { rows } = await rowsOf({ id: nullable(text) })`
    select ${sql.ref(column)} as id from ws_run_jobs where run_id = ${runId} and part = 'plan'`.execute(db);
  return rows[0]?.id ?? null;
}

/** The outcome of a job, with what is counted in assessments only. */
interface Reported {
  readonly attributes: Attributes<typeof outcomeFields>;
  readonly counted: Counted;
}

/** Ends the job with its outcome; the token ends with it. */
export async function finishJob(
  { store }: Parts,
  job: RunCaller,
  { attributes, counted }: Reported,
): Promise<undefined> {
  const { id, part, agentId } = job;
  if (attributes.status === 'running') throw unprocessable('a job ends as finished, errored or canceled');
  await changeRun({ store }, { id, workspace_id: job.workspaceId }, async (tx, run) => {
    await mustHold(tx, job);
    await addToLog(tx, store, { run, part }, { isOver: true });
    if (run.assessment) await recordCounts(tx, id, counted, attributes['has-changes'] === true);
    await report(tx, store, { run, part, caller: { kind: 'agent', id: agentId }, attributes });
    await endLease(tx, { id, part });
  });
}
