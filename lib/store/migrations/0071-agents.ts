import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Agents that register with the token of their pool, and the parts of runs that they work on. The lease of a job ends unless its agent
 * extends it; its token is valid as long as the lease.
 */
export async function agents(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const blob = (name: string) => `${name} text collate "C" references ws_blobs (id) on delete set null`;

const statements = [
  `create table ws_agents (
     id text collate "C" primary key,
     agent_pool_id text collate "C" not null references ws_agent_pools (id) on delete cascade,
     name text not null,
     version text not null,
     ip_address text,
     exited boolean not null default false,
     last_ping_at timestamptz not null default now(),
     created_at timestamptz not null default now()
   )`,
  'create index ws_agents_pool on ws_agents (agent_pool_id, created_at, id)',
  'create index ws_agents_last_ping on ws_agents (last_ping_at)',
  // The epoch counts how often the part was taken. Hash and lease are null while no agent works on it.
  `create table ws_run_jobs (
     run_id text collate "C" not null references ws_runs (id) on delete cascade,
     part text not null check (part in ('plan', 'apply')),
     epoch integer not null default 1,
     agent_id text collate "C" references ws_agents (id) on delete set null,
     hash bytea unique,
     lease_until timestamptz,
     ${blob('plan_file_id')},
     ${blob('plan_json_id')},
     ${blob('plan_redacted_id')},
     primary key (run_id, part),
     check ((hash is null) = (lease_until is null))
   )`,
  'create index ws_run_jobs_agent on ws_run_jobs (agent_id)',
  'create index ws_run_jobs_lease on ws_run_jobs (lease_until) where lease_until is not null',
  'create index ws_run_jobs_plan_file on ws_run_jobs (plan_file_id)',
  'create index ws_run_jobs_plan_json on ws_run_jobs (plan_json_id)',
  'create index ws_run_jobs_plan_redacted on ws_run_jobs (plan_redacted_id)',
];
