import { sql } from 'kysely';
import { float, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { silentSeconds } from './resources/agents/store.ts';
import { isActive, shownStatus } from './resources/run-lifecycle/store.ts';

type Db = Pick<Store, 'db'>;

interface Counted {
  readonly status: string;
  readonly count: number;
}

/** Runs that have not ended, by the status that clients see. */
export async function countActiveRuns({ db }: Db): Promise<readonly Counted[]> {
  const { rows } = await rowsOf({ status: text, count: int })`
    select ${shownStatus('r')} as status, count(*)::int as count from ws_runs r where ${isActive('r')} group by 1`.execute(
    db,
  );
  return rows;
}

/** Agents that were seen within a day, by status. */
export async function countAgents({ db }: Db): Promise<readonly Counted[]> {
  const { rows } = await rowsOf({ status: text, count: int })`
    select case when exited then 'exited'
                when last_ping_at < now() - make_interval(secs => ${silentSeconds}) then 'unknown'
                when exists (select 1 from ws_run_jobs j where j.agent_id = a.id and j.lease_until > now()) then 'busy'
                else 'idle' end as status, count(*)::int as count
      from ws_agents a group by 1`.execute(db);
  return rows;
}

export interface Waiting {
  readonly work: 'commit' | 'run_task';
  readonly count: number;
  /** Of the oldest; 0 when none waits. */
  readonly ageSeconds: number;
}

/** What waits for the sweep: commits that are fetched, and requests to run tasks. */
export async function countWaiting({ db }: Db): Promise<readonly Waiting[]> {
  const age = sql`coalesce(greatest(0, extract(epoch from now() - min(created_at))), 0)::float8`;
  const { rows } = await rowsOf({ commits: int, commit_age: float, tasks: int, task_age: float })`
    select c.count as commits, c.age as commit_age, t.count as tasks, t.age as task_age
      from (select count(*)::int as count, ${age} as age from ws_ingresses where next_at is not null) c,
           (select count(*)::int as count, ${age} as age from ws_task_results where next_at is not null) t`.execute(db);
  return rows.flatMap(({ commits, commit_age, tasks, task_age }) => [
    { work: 'commit' as const, count: commits, ageSeconds: commit_age },
    { work: 'run_task' as const, count: tasks, ageSeconds: task_age },
  ]);
}
