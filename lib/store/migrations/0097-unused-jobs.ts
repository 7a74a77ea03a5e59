import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Until when the agent of a job has its lease without having used its token: an apply that its agent never began is queued again. Empty for the jobs
 * that processes of earlier releases hand out. When such a process answers an agent, the first extension of the lease tells that the agent has
 * begun. And how many of the last runs of a workspace their policies have failed.
 */
export async function unusedJobs(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table ws_run_jobs add column unused_until timestamptz',
  'alter table ws_workspaces add column policy_failures integer not null default 0',
];
