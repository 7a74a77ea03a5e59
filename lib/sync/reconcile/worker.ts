import { type DestinationDefinition, DestinationFailure } from '#destinations/contract.ts';
import type { Gate, GateBudget, GatePass, Handler, Outcome, Verdict } from '#queue/contract.ts';
import type { Accounts } from '../drivers/accounts.ts';
import { statusOf } from '../model/status.ts';
import { logAttempt } from './attempt-log.ts';
import { PausedDestinations } from './paused-destinations.ts';
import { type EndedCalls, jobOutcome, type ReconcileParts, reconcile, unclaimed } from './reconcile.ts';
import { report } from './report.ts';

/**
 * Handles a job: enters the gate of the destination and brings the association in line. A job that the gate refuses is delayed
 * without a call (docs/architecture.md, rule 3.9). So is one of a paused destination.
 */
export function syncHandler(parts: ReconcileParts, gate: Gate, accounts: Accounts): Handler {
  const budget = budgetOf(parts.definition, parts.operationMs);
  const paused = new PausedDestinations(() => parts.clock.now().getTime());
  return async (job, signal): Promise<Outcome> => {
    if (job.exhausted) return failExhausted(parts, job.id);
    const asideMs = paused.asideMs(job.destinationId);
    if (asideMs !== undefined) return { kind: 'again', afterMs: asideMs };
    const pass = await gate.enter(job.destinationId, budget, await accounts(job.destinationId));
    if (!pass.admitted) return { kind: 'again', afterMs: pass.waitMs };
    // The pass is returned while the outcome is stored, so that the round trips to Redis and PostgreSQL run in parallel.
    let leaving: Promise<void> | undefined;
    const callsEnded = (calls: EndedCalls) => {
      leaving = leave(pass, calls);
    };
    try {
      const widthMax = Math.min(budget.concurrencyMax, pass.callsAtOnce);
      const reconciled = await reconcile(parts, job.id, signal, widthMax, callsEnded);
      if (reconciled.paused === undefined) return reconciled.outcome;
      return { kind: 'again', afterMs: paused.found(job.destinationId, reconciled.paused.leftMs) };
    } finally {
      // No call was made, or the store failed, which says nothing about the destination.
      await (leaving ?? pass.leave('well', undefined, 0));
    }
  };
}

function budgetOf({ rate, concurrencyMax }: DestinationDefinition, operationMs: number): GateBudget {
  return { ...rate, concurrencyMax, passMs: operationMs * 2 };
}

function leave(pass: Extract<GatePass, { admitted: true }>, { failure, calls, denied }: EndedCalls): Promise<void> {
  if (denied) return pass.leave('well', failure?.retryAfterMs, calls, 0);
  return pass.leave(verdictOf(failure), failure?.retryAfterMs, calls);
}

function verdictOf(failure: DestinationFailure | undefined): Verdict {
  if (failure === undefined || statusOf(failure.kind) !== 'EXTERNAL_SERVICE_ERROR') return 'well';
  return failure.kind === 'throttled' ? 'throttled' : 'sick';
}

/**
 * Records a failed attempt without a call: several workers in a row have died while this association was in flight, and the
 * next would too. It is retried like any internal failure, with a new job, until its attempts are used up.
 */
export async function failExhausted(parts: ReconcileParts, id: string): Promise<Outcome> {
  const claim = await parts.claim(id);
  if (claim.kind !== 'claimed') return unclaimed(claim);
  const failure = new DestinationFailure('internal', message);
  const noticed = { unconfirmed: false, mended: 0, calls: 0, elapsedMs: 0 };
  const { finish } = report(parts, claim, [], [{ kind: 'failed', subKey: '', name: '', failure }], noticed);
  const finished = await parts.finish(finish);
  logAttempt(parts.log, { claim, finish, finished, failure });
  const outcome = jobOutcome(finish, finished);
  return outcome.kind === 'again' && finished !== 'lost' ? { kind: 'failed', afterMs: outcome.afterMs } : outcome;
}

const message =
  'several workers in a row ended, or lost their lock, during this operation: see the memory and the logs of the workers';
