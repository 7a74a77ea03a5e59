import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Whether the agent of a job has begun: an apply that its agent never began is queued again. Those of earlier releases may have begun. And how many
 * of the last runs of a workspace their policies have failed.
 */
export async function begunJobs(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table ws_run_jobs add column begun_epoch integer',
  'update ws_run_jobs set begun_epoch = epoch where lease_until is not null',
  'alter table ws_workspaces add column policy_failures integer not null default 0',
];
