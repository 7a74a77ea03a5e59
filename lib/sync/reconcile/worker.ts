import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Gate, GateBudget, GatePass, Handler, Outcome } from '../../queue/contract.ts';
import type { Accounts } from '../drivers/accounts.ts';
import { statusOf } from '../status.ts';
import { failSpent } from './exhausted.ts';
import { type EndedCalls, type ReconcileParts, reconcile } from './reconcile.ts';

/**
 * What a worker does with a job: asks the gate of the destination and brings the association in line. A job that the gate
 * refuses is delayed without a call (docs/architecture.md, rule 3.9).
 */
export function syncHandler(parts: ReconcileParts, gate: Gate, accounts: Accounts): Handler {
  const budget = budgetOf(parts.definition, parts.operationMs);
  return async (job, signal): Promise<Outcome> => {
    if (job.exhausted) return failSpent(parts, job.id);
    const pass = await gate.enter(job.destinationId, budget, await accounts(job.destinationId));
    if (!pass.admitted) return { kind: 'again', afterMs: pass.waitMs };
    // The pass is given back while the outcome is written: the round trips to Redis and PostgreSQL do not wait for each other.
    let leaving: Promise<void> | undefined;
    const callsEnded = (calls: EndedCalls) => {
      leaving = leave(pass, calls);
    };
    try {
      const widthMax = Math.min(budget.concurrencyMax, pass.callsAtOnce);
      return (await reconcile(parts, job.id, signal, widthMax, callsEnded)).outcome;
    } finally {
      // There were no calls, or the store failed, which says nothing of the destination.
      await (leaving ?? pass.leave('well', undefined, 0));
    }
  };
}

function budgetOf({ rate, concurrencyMax }: DestinationDefinition, operationMs: number): GateBudget {
  return { callsPerSecond: rate.callsPerSecond, burst: rate.burst, concurrencyMax, passMs: operationMs * 2 };
}

function leave(pass: Extract<GatePass, { admitted: true }>, { failure, calls, denied }: EndedCalls): Promise<void> {
  if (denied) return pass.leave('well', failure?.retryAfterMs, calls, 0);
  const sick = failure !== undefined && statusOf(failure.kind) === 'EXTERNAL_SERVICE_ERROR';
  return pass.leave(sick ? 'sick' : 'well', failure?.retryAfterMs, calls);
}
