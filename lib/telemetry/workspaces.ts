import { type Metrics, sample } from './metrics/metrics.ts';

const works = ['commit', 'commit_status', 'run_task', 'run_task_result', 'notification', 'assessment'] as const;
const results = ['done', 'failed', 'dead'] as const;

/** Counts the work of the sweep for workspaces. */
export function workspaceWorkTelemetry(metrics: Metrics) {
  const counts = new Map(
    works.flatMap((work) =>
      results.map(
        (result) => [`${work} ${result}`, metrics.counter('keyferry_workspace_work_total', { work, result })] as const,
      ),
    ),
  );
  // All are exported from the start, because a rate misses the first increment of a new counter.
  for (const count of counts.values()) count(0);
  return (work: (typeof works)[number], result: (typeof results)[number], by = 1) =>
    counts.get(`${work} ${result}`)?.(by);
}

/** Observes how long plans and applies waited for an agent, in seconds. */
export function runWaitTelemetry(metrics: Metrics) {
  const observed = {
    plan: metrics.histogram('keyferry_run_wait_seconds', { part: 'plan' }),
    apply: metrics.histogram('keyferry_run_wait_seconds', { part: 'apply' }),
  };
  return (part: 'plan' | 'apply', seconds: number) => observed[part](seconds);
}

/** Counts the turns of the loops of the sweep beside its rounds. Wraps the step of one. */
export function loopTelemetry(metrics: Metrics) {
  return <Args extends readonly unknown[], Result>(loop: string, step: (...args: Args) => Promise<Result>) => {
    const done = metrics.counter('keyferry_sweep_loops_total', { loop, result: 'done' });
    const failed = metrics.counter('keyferry_sweep_loops_total', { loop, result: 'failed' });
    done(0);
    failed(0);
    return async (...args: Args): Promise<Result> => {
      try {
        const result = await step(...args);
        done();
        return result;
      } catch (cause) {
        failed();
        throw cause;
      }
    };
  };
}

export interface WorkspaceReadings {
  runs(): Promise<readonly { readonly status: string; readonly count: number }[]>;
  agents(): Promise<readonly { readonly status: string; readonly count: number }[]>;
  waiting(): Promise<readonly { readonly work: string; readonly count: number; readonly ageSeconds: number }[]>;
}

const runStatuses = ['pending', 'plan_queued', 'planning', 'planned', 'confirmed', 'apply_queued', 'applying'];
const agentStatuses = ['idle', 'busy', 'unknown', 'exited'];

/** The gauges of workspaces, each with its statuses, so that one that is reached by nothing is 0 and not absent. */
export function gaugeWorkspaces(metrics: Metrics, { runs, agents, waiting }: WorkspaceReadings) {
  return {
    async runs() {
      metrics.set('keyferry_workspace_runs', withZeros(runStatuses, await runs()));
    },
    async agents() {
      metrics.set('keyferry_workspace_agents', withZeros(agentStatuses, await agents()));
    },
    async waiting() {
      const found = await waiting();
      metrics.set(
        'keyferry_workspace_waiting',
        found.map(({ work, count }) => sample({ work }, count)),
      );
      metrics.set(
        'keyferry_workspace_oldest_waiting_age_seconds',
        found.map(({ work, ageSeconds }) => sample({ work }, ageSeconds)),
      );
    },
  };
}

function withZeros(
  statuses: readonly string[],
  counted: readonly { readonly status: string; readonly count: number }[],
) {
  const counts = new Map(counted.map(({ status, count }) => [status, count]));
  return [...new Set([...statuses, ...counts.keys()])].map((status) => sample({ status }, counts.get(status) ?? 0));
}
