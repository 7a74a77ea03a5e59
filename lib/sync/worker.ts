import type { DestinationDefinition, DestinationFailure } from '../destinations/contract.ts';
import type { Gate, GateBudget, GatePass, Handler, Outcome, Queue } from '../queue/contract.ts';
import { type Reconciled, type ReconcileParts, reconcile } from './reconcile.ts';
import { statusOf } from './status.ts';

/**
 * What a worker does with a job: asks the gate of the destination, brings the association in line, tells who waits. A job
 * that the gate refuses is put aside without a call (rule 9 of the sync).
 */
export function syncHandler(parts: ReconcileParts, gate: Gate, queue: Queue): Handler {
  const budget = budgetOf(parts.definition, parts.operationMs);
  return async (job, signal): Promise<Outcome> => {
    const pass = await gate.enter(job.destinationId, budget);
    if (!pass.open) return { kind: 'again', afterMs: pass.waitMs };
    const done = await reconciled(parts, job.id, signal, pass);
    const announced = done.kind === 'done' ? queue.announce(job.id) : undefined;
    await Promise.all([leave(pass, done.failure), announced]);
    return done;
  };
}

function budgetOf(definition: DestinationDefinition, operationMs: number): GateBudget {
  const { callsPerSecond, burst } = definition.rate;
  return { callsPerSecond, burst, concurrencyMax: definition.concurrencyMax, passMs: operationMs * 2 };
}

type OpenPass = Extract<GatePass, { open: true }>;

/** Gives the pass back when the work itself fails. */
async function reconciled(parts: ReconcileParts, id: string, signal: AbortSignal, pass: OpenPass): Promise<Reconciled> {
  try {
    return await reconcile(parts, id, signal);
  } catch (cause) {
    await leave(pass, undefined);
    throw cause;
  }
}

function leave(pass: OpenPass, failure: DestinationFailure | undefined): Promise<void> {
  const sick = failure !== undefined && statusOf(failure.kind) === 'EXTERNAL_SERVICE_ERROR';
  return pass.leave(sick ? 'sick' : 'well', failure?.retryAfterMs);
}
