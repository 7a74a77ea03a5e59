import type { DestinationDefinition, DestinationFailure } from '../destinations/contract.ts';
import type { Gate, GateBudget, GatePass, Handler, Outcome, Queue } from '../queue/contract.ts';
import { type ReconcileParts, reconcile } from './reconcile.ts';
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
    const done = await guarded(() => reconcile(parts, job.id, signal), pass);
    if (done.kind === 'again') return done;
    await queue.announce(job.id);
    return done;
  };
}

function budgetOf(definition: DestinationDefinition, operationMs: number): GateBudget {
  const { callsPerSecond, burst } = definition.rate;
  return { callsPerSecond, burst, concurrencyMax: definition.concurrencyMax, passMs: operationMs * 2 };
}

type OpenPass = Extract<GatePass, { open: true }>;

/** Gives the pass back whatever happens. */
async function guarded<T extends { readonly failure: DestinationFailure | undefined }>(
  work: () => Promise<T>,
  pass: OpenPass,
): Promise<T> {
  let failure: DestinationFailure | undefined;
  try {
    const result = await work();
    failure = result.failure;
    return result;
  } finally {
    const sick = failure !== undefined && statusOf(failure.kind) === 'EXTERNAL_SERVICE_ERROR';
    await pass.leave(sick ? 'sick' : 'well', failure?.retryAfterMs);
  }
}
