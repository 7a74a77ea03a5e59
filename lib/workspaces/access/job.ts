import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { wsRunJobsTable } from '#store/tables/runs.ts';

/** The agent at work on the plan or the apply of a run: the caller behind the token of the run. */
export type RunCaller = Extract<ApiCaller, { readonly kind: 'run' }>;

const jobColumns = {
  ...pick(wsRunJobsTable, 'run_id', 'part', 'epoch'),
  agent_id: text,
  workspace_id: text,
  organization_id: text,
  unused: bool,
};

/** The jobs `j` of runs `r` that an agent works on: its lease lasts, and the run is in this part. */
const atWork = sql`
  ws_run_jobs j join ws_runs r on r.id = j.run_id join ws_workspaces w on w.id = r.workspace_id
  where j.lease_until > now() and r.status = case j.part when 'plan' then 'planning' else 'applying' end`;

/** The job that meets a condition. Undefined when its lease or this part of its run has ended. */
async function jobWhere(
  db: QueryExecutorProvider,
  condition: RawBuilder<unknown>,
): Promise<RowOf<typeof jobColumns> | undefined> {
  const { rows } = await rowsOf(jobColumns)`
    select j.run_id, j.part, j.epoch, coalesce(j.agent_id, '') as agent_id, r.workspace_id, w.organization_id,
           j.unused_until is not null as unused
      from ${atWork} and ${condition}`.execute(db);
  return rows[0];
}

/** The caller of a job by the hash of its token. An agent that has used it may have begun, which is noted first: its apply is never repeated. */
export async function runCallerOf(db: QueryExecutorProvider, hash: Buffer): Promise<RunCaller | undefined> {
  const job = await jobWhere(db, sql`j.hash = ${hash}`);
  if (job === undefined) return undefined;
  if (job.unused) {
    const { numAffectedRows } = await sql`
      update ws_run_jobs set unused_until = null where hash = ${hash} and lease_until > now()`.execute(db);
    if (numAffectedRows === 0n) return undefined;
  }
  return callerOf(job);
}

const callerOf = ({ run_id: id, part, epoch, ...row }: RowOf<typeof jobColumns>): RunCaller => ({
  kind: 'run',
  id,
  part,
  epoch,
  agentId: row.agent_id,
  workspaceId: row.workspace_id,
  organizationId: row.organization_id,
  tokenId: `${part}-${epoch}`,
  actsIn: new Set(),
});

/** The caller of a job by the id of the run and the `tokenId`. */
export async function runCallerNow(
  db: QueryExecutorProvider,
  { id, token }: { readonly id: string; readonly token: string },
): Promise<RunCaller | undefined> {
  const [, part, epoch] = /^(plan|apply)-(\d{1,9})$/.exec(token) ?? [];
  if (part === undefined) return undefined;
  const job = await jobWhere(db, sql`j.run_id = ${id} and j.part = ${part} and j.epoch = ${Number(epoch)}`);
  return job && callerOf(job);
}

/**
 * Whether the agent still has the job. The job stays as it is until the transaction ends, so that an agent whose lease ends meanwhile changes
 * nothing afterwards.
 */
export async function holdsJob(
  tx: QueryExecutorProvider,
  { id, part, epoch }: Pick<RunCaller, 'id' | 'part' | 'epoch'>,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${atWork} and j.run_id = ${id} and j.part = ${part} and j.epoch = ${epoch} for share of j`.execute(
    tx,
  );
  return rows.length > 0;
}
