import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { outageOf } from '../../core/log/outage.ts';
import { errorLocation } from '../../core/log/stack.ts';
import type { Log } from '../../core/log.ts';
import { type DestinationDefinition, DestinationFailure, type Driver } from '../../destinations/contract.ts';
import { unfit } from '../../destinations/frame/rules/fit.ts';
import type { Outcome } from '../../queue/contract.ts';
import type { Barrier, Store } from '../../store/store.ts';
import type { Claim, Claimed } from '../claim/claim.ts';
import type { Intend } from '../claim/intents.ts';
import { looksAgain, type RecheckTimes } from '../recheck/schedule.ts';
import type { RetryPolicy } from '../status.ts';
import { namer } from '../template/naming.ts';
import type { Template } from '../template/template.ts';
import type { ActResult } from './act.ts';
import { AttemptBudget } from './attempt-budget.ts';
import { logAttempt } from './attempt-log.ts';
import type { Finish, Finished } from './outcome.ts';
import { perform } from './perform.ts';
import { toEntries } from './plan/entries.ts';
import { type Plan, plan } from './plan/plan.ts';
import { report } from './report.ts';

/** What the reconcile of one destination type is handed. */
export interface ReconcileParts {
  readonly definition: DestinationDefinition;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly retry: RetryPolicy;
  readonly recheck: RecheckTimes;
  /** After this time an operation begins no further call and is taken up again. */
  readonly operationMs: number;
  /** After this time its calls are ended. The claim lasts longer, so nobody else pushes at the same time. */
  readonly callsMs: number;
  readonly claim: (id: string) => Promise<Claim>;
  readonly finish: (finish: Finish) => Promise<Finished>;
  /** Makes an association dirty again whose objects may be older than what was written back of them. */
  readonly invalidate: (id: string) => Promise<void>;
  readonly intend: Intend;
  readonly compile: (template: string) => Template;
  readonly openDriver: (destinationId: string, revision: number) => Promise<Driver | undefined>;
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
}

/** What the reconcile of one association came to. */
export interface Reconciled extends EndedCalls {
  readonly outcome: Outcome;
}

/** What the calls of one attempt came to. */
export interface EndedCalls {
  /** Speaks for the destination, for the gate. */
  readonly failure: DestinationFailure | undefined;
  /** What was used up of the destination's rate, in calls. */
  readonly calls: number;
  /**
   * All that was asked was refused for want of rights. Anybody may name an account that is not theirs: such calls use up the
   * rate of the destination alone, and not that of the account.
   */
  readonly denied: boolean;
}

/** How soon a job looks again at an association that another worker holds or that may not be pushed now. */
const lookAgainMs = 1_000;

/**
 * Brings one association in line: takes it, reads what should be there, plans, acts, writes the outcome back. It reads the
 * present state each time, so it may run twice, late, or in another order (docs/architecture.md, rule 3.1).
 *
 * @param widthMax calls at once, at most
 * @param callsEnded is called when no further call will be made, before that is written back; not after a failure of the store
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
    if (claim.kind !== 'claimed') return { outcome: unclaimed(claim), failure: undefined, calls: 0, denied: false };
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

const isDenied = (failure: DestinationFailure | undefined, { written, removed, buried }: Finish): boolean =>
  (failure?.kind === 'credentials' || failure?.kind === 'permission') &&
  written.length + removed.length + buried.length === 0;

/** What becomes of a job whose association may not be, or need not be, pushed now. */
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

/** That we stopped is no failure of the destination: no attempt is counted for it. */
const cutShort = (result: ActResult): ActResult =>
  result.kind === 'failed' && (result.failure.kind === 'timeout' || result.failure.kind === 'network')
    ? { kind: 'skipped', subKey: result.subKey, spared: result.spared }
    : result;

/** One attempt. What fails in an unforeseen way, the store included, is an internal failure of this attempt. */
async function runAttempt(parts: ReconcileParts, claim: Claimed, budget: AttemptBudget) {
  try {
    const decided = await decide(parts, claim);
    const results = await perform(parts, claim, decided, budget);
    return report(parts, claim, decided.refusals, budget.stopped ? results.map(cutShort) : results, budget);
  } catch (cause) {
    // Sealed meanwhile, which is no failure of the destination either.
    if (cause instanceof AppError && cause.kind === 'sealed')
      return report(parts, claim, [], [{ kind: 'skipped', subKey: '' }], budget);
    const outage = outageOf(cause);
    if (outage !== undefined) parts.log.warn({ association: claim.id, ...outage }, 'an attempt was cut short');
    else parts.log.error({ association: claim.id, ...errorLocation(cause) }, 'an attempt failed in an unforeseen way');
    const message =
      cause instanceof AppError ? cause.message : 'failed in an unforeseen way; the log of the worker says more';
    const failure = new DestinationFailure('internal', message, { cause });
    return report(parts, claim, [], [{ kind: 'failed', subKey: '', name: '', failure }], budget);
  }
}

async function decide(parts: ReconcileParts, claim: Claimed): Promise<Plan> {
  const secret = claim.desired === 'present' ? await parts.currentSecret(claim.mountId, claim.secretName) : undefined;
  const { definition, store } = parts;
  return plan({
    entries: secret === undefined ? [] : toEntries(secret.json, claim.granularity),
    written: claim.objects,
    tags: claim.tags,
    adopt: claim.adopt,
    forced: claim.forced || !claim.recorded,
    // A late write may have come meanwhile, or may yet.
    verify: claim.verify || claim.unconfirmed !== undefined,
    removeAgain: looksAgain(claim.unconfirmed, parts.recheck),
    confirmed: new Set(claim.confirmed),
    unfit: (put) => unfit(definition, put),
    name: namer(parts.compile(claim.template), definition.names, claim),
    nameKey: definition.names.key,
    fingerprint: (name, value) => fingerprintOf(store.barrier, name, value.reveal(), claim.tags),
  });
}

function fingerprintOf(barrier: Barrier, name: string, value: string, tags: Readonly<Record<string, string>>): Buffer {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return barrier.mac('fingerprint', JSON.stringify([name, value, sorted]));
}
