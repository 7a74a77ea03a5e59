import type { Clock } from '#core/clock.ts';
import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { errorLocation } from '#core/log/stack.ts';
import { type DestinationDefinition, DestinationFailure, type Driver } from '#destinations/contract.ts';
import type { Outcome } from '#queue/contract.ts';
import type { Store } from '#store/store.ts';
import type { Claim, Claimed } from '../claim/claim.ts';
import type { Intend } from '../claim/intents.ts';
import { actsAsRecheck } from '../claim/rechecks.ts';
import type { Finish, Finished } from '../model/finish.ts';
import type { RetryPolicy } from '../model/status.ts';
import type { RecheckTimes } from '../model/unconfirmed.ts';
import type { Template } from '../template/template.ts';
import type { ActResult } from './act.ts';
import { AttemptBudget } from './attempt-budget.ts';
import { logAttempt } from './attempt-log.ts';
import { perform } from './perform.ts';
import { decide } from './plan/decide.ts';
import type { Plan } from './plan/plan.ts';
import { report } from './report.ts';

/** What reconciling one destination type depends on. */
export interface ReconcileParts {
  readonly definition: DestinationDefinition;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly retry: RetryPolicy;
  readonly recheck: RecheckTimes;
  /** After this time an operation begins no further call; a later job continues it. */
  readonly operationMs: number;
  /** After this time its calls are aborted. The claim lasts longer, so no other worker pushes at the same time. */
  readonly callsMs: number;
  readonly claim: (id: string) => Promise<Claim>;
  readonly finish: (finish: Finish) => Promise<Finished>;
  /** Makes an association dirty again when its objects may be older than the store records. */
  readonly invalidate: (id: string) => Promise<void>;
  readonly intend: Intend;
  readonly compile: (template: string) => Template;
  readonly openDriver: (destinationId: string, revision: number) => Promise<Driver | undefined>;
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
}

/** The result of reconciling one association. */
export interface Reconciled extends EndedCalls {
  readonly outcome: Outcome;
  /** Present when the association was not claimed because its destination is paused. */
  readonly paused?: Extract<Claim, { kind: 'paused' }>;
}

/** The result of the calls of one attempt. */
export interface EndedCalls {
  /** The failure that the gate counts against the destination. */
  readonly failure: DestinationFailure | undefined;
  /** Calls counted against the rate of the destination. */
  readonly calls: number;
  /**
   * Every call was refused for missing rights. A destination can name any account, even one of another tenant, so such calls count
   * against the rate of the destination only, not against that of the account.
   */
  readonly denied: boolean;
}

/** Delay before a job retries an association that another worker holds or that may not be pushed now. */
const lookAgainMs = 1_000;

/**
 * Brings one association in line: claims it, reads the desired state, plans, acts, and stores the outcome. It reads the current
 * state each time, so it may run twice, late, or in another order (docs/architecture.md, rule 3.1).
 *
 * @param widthMax maximum number of concurrent calls
 * @param callsEnded runs after the last call and before the outcome is stored; not after a failure of the store
 */
export async function reconcile(
  parts: ReconcileParts,
  id: string,
  signal: AbortSignal,
  widthMax: number,
  callsEnded: (calls: EndedCalls) => void = () => {},
): Promise<Reconciled> {
  const { operationMs, callsMs, clock } = parts;
  const budget = new AttemptBudget({ operationMs, callsMs, widthMax, signal, clock });
  try {
    const claim = await parts.claim(id);
    if (claim.kind !== 'claimed') {
      const refused = { outcome: unclaimed(claim), failure: undefined, calls: 0, denied: false };
      return claim.kind === 'paused' ? { ...refused, paused: claim } : refused;
    }
    const { finish, failure } = await runAttempt(parts, claim, budget);
    const ended = { failure, calls: budget.calls, denied: isDenied(failure, finish) };
    callsEnded(ended);
    const finished = await parts.finish(finish);
    logAttempt(parts.log, { claim, finish, finished, failure });
    if (finished === 'lost' && budget.calls > 0) await parts.invalidate(id);
    return { outcome: jobOutcome(finish, finished), ...ended };
  } finally {
    budget.end();
  }
}

const isDenied = (failure: DestinationFailure | undefined, { written, removed, tombstoned }: Finish): boolean =>
  (failure?.kind === 'credentials' || failure?.kind === 'permission') &&
  written.length + removed.length + tombstoned.length === 0;

/** The outcome of a job whose association was not claimed. */
export function unclaimed(claim: Exclude<Claim, Claimed>): Outcome {
  if (claim.kind === 'clean') return { kind: 'done', generation: claim.generation };
  if (claim.kind === 'early') return { kind: 'again', afterMs: claim.waitMs, firm: true };
  return { kind: 'again', afterMs: lookAgainMs };
}

export function jobOutcome({ done, generation, retryMs }: Finish, finished: Finished): Outcome {
  if (finished === 'lost') return { kind: 'again', afterMs: lookAgainMs };
  if (done) return { kind: 'done', generation };
  return { kind: 'again', afterMs: finished === 'superseded' ? 0 : (retryMs ?? 0) };
}

/** Our own stop is not a failure of the destination, so it does not count as a failed attempt. */
const cutShort = (result: ActResult): ActResult =>
  result.kind === 'failed' && (result.failure.kind === 'timeout' || result.failure.kind === 'network')
    ? { kind: 'skipped', subKey: result.subKey, unaffected: result.unaffected }
    : result;

/** Runs one attempt. An unexpected failure, including one of the store, becomes an internal failure of the attempt. */
async function runAttempt(parts: ReconcileParts, claim: Claimed, budget: AttemptBudget) {
  try {
    const decided = await decideNow(parts, claim);
    const results = await perform(parts, claim, decided, budget);
    return report(parts, claim, decided.refusals, budget.stopped ? results.map(cutShort) : results, budget);
  } catch (cause) {
    // The service was sealed meanwhile, which is not a failure of the destination either.
    if (cause instanceof AppError && cause.kind === 'sealed')
      return report(parts, claim, [], [{ kind: 'skipped', subKey: '' }], budget);
    const outage = outageOf(cause);
    if (outage !== undefined) parts.log.warn({ association: claim.id, ...outage }, 'an attempt was cut short');
    else parts.log.error({ association: claim.id, ...errorLocation(cause) }, 'an attempt failed unexpectedly');
    const message = cause instanceof AppError ? cause.message : 'failed unexpectedly: see the log of the worker';
    const failure = new DestinationFailure('internal', message, { cause });
    return report(parts, claim, [], [{ kind: 'failed', subKey: '', name: '', failure }], budget);
  }
}

async function decideNow(parts: ReconcileParts, claim: Claimed): Promise<Plan> {
  const secret = claim.desired === 'present' ? await parts.currentSecret(claim.mountId, claim.secretName) : undefined;
  // As the plan decided, which the looks then compare.
  if (claim.planned) return decide(parts, claim, secret?.json, { forced: false, verify: true, removeAgain: false });
  return decide(parts, claim, secret?.json, {
    forced: claim.forced || !claim.recorded,
    // A late write may have been applied meanwhile, or may still be.
    verify: claim.verify || claim.unconfirmed !== undefined,
    removeAgain: actsAsRecheck(claim.unconfirmed, parts.recheck),
  });
}
