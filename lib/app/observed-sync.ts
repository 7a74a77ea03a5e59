import { inScope, type Log } from '../core/log.ts';
import { boundOnce, type Metrics } from '../core/metrics.ts';
import type { Tracing } from '../core/trace.ts';
import type { Gate, Handler } from '../queue/contract.ts';
import type { Claim } from '../sync/claim/claim.ts';
import type { Finish, Finished } from '../sync/reconcile/outcome.ts';

export interface ObservedParts {
  readonly type: string;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
}

/** The steps of a worker of one type, with what they tell of themselves around them. They do what they did. */
export interface ObservedSync {
  claim(claim: (id: string) => Promise<Claim>): (id: string) => Promise<Claim>;
  finish(finish: (finish: Finish) => Promise<Finished>): (finish: Finish) => Promise<Finished>;
  gate(gate: Gate): Gate;
  handler(handler: Handler): Handler;
}

const secondMs = 1_000;

export function observedSync(parts: ObservedParts): ObservedSync {
  const { type, tracing, log } = parts;
  const measure = measures(parts);
  /** When the associations in hand were claimed; an entry goes with the handler that made it. */
  const claimedAt = new Map<string, number>();
  return {
    claim: (claim) => (id) =>
      tracing.span('sync claim', { attributes: { type } }, async (span) => {
        const claimed = await claim(id);
        span.tell({ outcome: claimed.kind });
        measure.claim(claimed.kind);
        if (claimed.kind !== 'claimed') return claimed;
        claimedAt.set(id, performance.now());
        if (claimed.attempts > 0) measure.retry();
        return claimed;
      }),
    finish: (finish) => (attempt) =>
      tracing.span('sync finish', { attributes: { type } }, async (span) => {
        const finished = await finish(attempt);
        const outcome = outcomeOf(attempt, finished);
        span.tell({ outcome, attempts: attempt.attempts, objects: attempt.records.length });
        measure.operation(outcome);
        if (attempt.error !== null) measure.failure(attempt.error.kind);
        if (attempt.rechecked !== null && finished !== 'lost') measure.recheck(attempt.rechecked);
        const since = claimedAt.get(attempt.id);
        if (since !== undefined) measure.duration((performance.now() - since) / secondMs);
        return finished;
      }),
    gate: (gate) => ({
      ...gate,
      async enter(destinationId, budget) {
        const pass = await gate.enter(destinationId, budget);
        if (!pass.open) measure.refusal(pass.reason);
        return pass;
      },
    }),
    handler: (handler) => (job, signal) =>
      inScope(log, { operation: job.id, type, job: job.job }, () => {
        const attributes = { type, operation: job.id };
        return tracing.span(
          'sync job',
          { kind: 'consumer', attributes, traceparent: job.traceparent },
          async (span) => {
            const outcome = await handler(job, signal).finally(() => claimedAt.delete(job.id));
            span.tell({ outcome: outcome.kind });
            return outcome;
          },
        );
      }),
  };
}

/** What an attempt came to, in the words of `keyferry_sync_operations_total`. */
export function outcomeOf(attempt: Pick<Finish, 'done' | 'status' | 'error'>, finished: Finished): string {
  if (finished !== 'settled') return finished;
  if (attempt.done) return attempt.status;
  return attempt.error === null ? 'unfinished' : 'retried';
}

function measures({ type, metrics }: ObservedParts) {
  const operations = boundOnce((outcome) => metrics.counter('keyferry_sync_operations_total', { type, outcome }));
  const claims = boundOnce((outcome) => metrics.counter('keyferry_sync_claims_total', { type, outcome }));
  const failures = boundOnce((kind) => metrics.counter('keyferry_sync_failures_total', { type, kind }));
  const rechecks = boundOnce((result) => metrics.counter('keyferry_sync_rechecks_total', { type, result }));
  const refusals = boundOnce((reason) => metrics.counter('keyferry_sync_gate_refusals_total', { type, reason }));
  return {
    operation: (outcome: string) => operations(outcome)(),
    claim: (outcome: string) => claims(outcome)(),
    failure: (kind: string) => failures(kind)(),
    recheck: (result: string) => rechecks(result)(),
    refusal: (reason: string) => refusals(reason)(),
    retry: metrics.counter('keyferry_sync_retries_total', { type }),
    duration: metrics.histogram('keyferry_sync_reconcile_duration_seconds', { type }),
  };
}
