import { inScope, type Log } from '#core/log/log.ts';
import type { DestinationMeasures, NamedDestination } from './destinations.ts';
import { boundOnce, type Metrics } from './metrics/metrics.ts';
import type { Tracing } from './traces/tracing.ts';

export interface SyncTelemetryParts {
  /** The destination type of the worker. */
  readonly type: string;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
  /** Shared by all workers of the process. */
  readonly destinations: DestinationMeasures;
}

/** The fields of a claim that are measured. `attempts`: number of failed attempts before it. */
interface ClaimSeen {
  readonly kind: string;
  readonly attempts?: number;
  readonly destinationName?: string;
  readonly namespacePath?: string;
}

interface ClaimInFlight {
  readonly claimedAt: number;
  readonly destination: NamedDestination;
}

/** The fields of a finished attempt that are measured. */
export interface AttemptSeen {
  /** Association id. */
  readonly id: string;
  readonly done: boolean;
  readonly status: string;
  readonly error: { readonly kind: string } | null;
  readonly attempts: number;
  readonly records: readonly unknown[];
  readonly rechecked: string | null;
}

/** Whether the result was written back: `settled`, or why the attempt did not count. */
type FinishedSeen = 'settled' | 'superseded' | 'lost';

type PassSeen = { readonly admitted: true } | { readonly admitted: false; readonly reason: string };

interface JobSeen {
  /** Association id. */
  readonly id: string;
  /** Id of the job in its queue. */
  readonly job?: string | undefined;
  readonly traceparent?: string | undefined;
}

const secondMs = 1_000;

/**
 * Wraps the steps of a worker of one type to measure and trace them and to add their ids to the log. The wrapped functions behave like the
 * original ones.
 */
export function syncTelemetry(parts: SyncTelemetryParts) {
  const { type, tracing, log } = parts;
  const measure = measures(parts);
  const attributes = { type };
  /** Claims by association id; removed when the handler ends. */
  const inFlight = new Map<string, ClaimInFlight>();
  return {
    claim:
      <Claim extends ClaimSeen>(claim: (id: string) => Promise<Claim>) =>
      (id: string): Promise<Claim> =>
        tracing.span('sync claim', { attributes }, async (span) => {
          const claimed = await claim(id);
          span.set({ outcome: claimed.kind });
          measure.claim(claimed.kind);
          if (claimed.kind !== 'claimed') return claimed;
          const name = `${claimed.namespacePath ?? ''}${claimed.destinationName ?? ''}`;
          inFlight.set(id, { claimedAt: performance.now(), destination: { type, name } });
          if ((claimed.attempts ?? 0) > 0) measure.retry();
          return claimed;
        }),
    finish:
      <Attempt extends AttemptSeen, Finished extends FinishedSeen>(finish: (attempt: Attempt) => Promise<Finished>) =>
      (attempt: Attempt): Promise<Finished> =>
        tracing.span('sync finish', { attributes }, async (span) => {
          const finished = await finish(attempt);
          const outcome = resultOf(attempt, finished);
          span.set({ outcome, attempts: attempt.attempts, objects: attempt.records.length });
          measure.operation(outcome);
          if (attempt.error !== null) measure.failure(attempt.error.kind);
          if (attempt.rechecked !== null && finished !== 'lost') measure.recheck(attempt.rechecked);
          const known = inFlight.get(attempt.id);
          if (known === undefined) return finished;
          measure.duration((performance.now() - known.claimedAt) / secondMs);
          if (attempt.done && finished === 'settled')
            parts.destinations[attempt.error === null ? 'succeeded' : 'failed'](known.destination);
          return finished;
        }),
    gate: <Budget, Pass extends PassSeen>(gate: {
      enter(id: string, budget: Budget, account?: string): Promise<Pass>;
    }) => ({
      async enter(destinationId: string, budget: Budget, account?: string): Promise<Pass> {
        const pass = await gate.enter(destinationId, budget, account);
        if (!pass.admitted) measure.refusal(pass.reason);
        return pass;
      },
    }),
    handler:
      <Job extends JobSeen, Outcome extends { readonly kind: string }>(
        handler: (job: Job, signal: AbortSignal) => Promise<Outcome>,
      ) =>
      (job: Job, signal: AbortSignal): Promise<Outcome> =>
        inScope(log, { operation: job.id, type, job: job.job }, () => {
          const fields = { type, operation: job.id };
          return tracing.span(
            'sync job',
            { kind: 'consumer', attributes: fields, traceparent: job.traceparent },
            async (span) => {
              const outcome = await handler(job, signal).finally(() => inFlight.delete(job.id));
              span.set({ outcome: outcome.kind });
              return outcome;
            },
          );
        }),
    read: <Result>(work: () => Promise<Result>): Promise<Result> => tracing.span('sync read', { attributes }, work),
    looked: (result: 'complete' | 'failed'): void => measure.look(result),
    /** A driver call for `count` objects. */
    call: <Result>(verb: string, count: number, work: () => Promise<Result>): Promise<Result> =>
      tracing.span(verb, { kind: 'client', attributes: { type, count } }, work),
  };
}

/** The result of an attempt as a label of `keyferry_sync_operations_total`. */
export function resultOf(attempt: Pick<AttemptSeen, 'done' | 'status' | 'error'>, finished: FinishedSeen): string {
  if (finished !== 'settled') return finished;
  if (attempt.done) return attempt.status;
  return attempt.error === null ? 'unfinished' : 'retried';
}

function measures({ type, metrics }: SyncTelemetryParts) {
  const operations = boundOnce((outcome) => metrics.counter('keyferry_sync_operations_total', { type, outcome }));
  const claims = boundOnce((outcome) => metrics.counter('keyferry_sync_claims_total', { type, outcome }));
  const failures = boundOnce((kind) => metrics.counter('keyferry_sync_failures_total', { type, kind }));
  const rechecks = boundOnce((result) => metrics.counter('keyferry_sync_rechecks_total', { type, result }));
  const refusals = boundOnce((reason) => metrics.counter('keyferry_sync_gate_refusals_total', { type, reason }));
  const looks = boundOnce((result) => metrics.counter('keyferry_sync_drift_looks_total', { type, result }));
  return {
    look: (result: string) => looks(result)(),
    operation: (outcome: string) => operations(outcome)(),
    claim: (outcome: string) => claims(outcome)(),
    failure: (kind: string) => failures(kind)(),
    recheck: (result: string) => rechecks(result)(),
    // Dashboards and alerts rely on the older label "broken" for an open circuit breaker.
    refusal: (reason: string) => refusals(reason === 'circuit-open' ? 'broken' : reason)(),
    retry: metrics.counter('keyferry_sync_retries_total', { type }),
    duration: metrics.histogram('keyferry_sync_reconcile_duration_seconds', { type }),
  };
}
