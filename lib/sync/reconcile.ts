import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type DestinationDefinition, DestinationFailure, type Driver } from '../destinations/contract.ts';
import type { Barrier, Store } from '../store/store.ts';
import type { ActResult } from './act.ts';
import type { Claim, Claimed, ObjectRow } from './claims.ts';
import { toEntries } from './entries.ts';
import type { Finish, Finished } from './finish.ts';
import { namer } from './naming.ts';
import { perform } from './perform.ts';
import { type Plan, plan, type Written } from './plan.ts';
import { report } from './report.ts';
import type { RetryPolicy } from './verdict.ts';

/** What the reconcile of one destination type is handed. */
export interface ReconcileParts {
  readonly definition: DestinationDefinition;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly retry: RetryPolicy;
  /** After this time an operation begins no further call and is taken up again. */
  readonly operationMs: number;
  /** After this time its calls are ended. The claim lasts longer, so nobody else pushes at the same time. */
  readonly callsMs: number;
  readonly claim: (id: string) => Promise<Claim>;
  readonly finish: (finish: Finish) => Promise<Finished>;
  readonly openDriver: (destinationId: string, revision: number) => Promise<Driver | undefined>;
  readonly currentSecret: (mountId: string, secretName: string) => Promise<{ readonly json: string } | undefined>;
}

/** What the reconcile of one association came to. `failure` speaks for it, for the gate. */
export type Reconciled =
  | { readonly kind: 'done'; readonly generation: number; readonly failure: DestinationFailure | undefined }
  | { readonly kind: 'again'; readonly afterMs: number; readonly failure: DestinationFailure | undefined };

/** How soon a job looks again at an association that another worker holds or that may not be pushed now. */
const lookAgainMs = 1_000;

/**
 * Brings one association in line: takes it, reads what should be there, plans, acts, writes the outcome back. It reads the
 * present state each time, so it may run twice, late, or in another order (rule 1 of the sync).
 */
export async function reconcile(parts: ReconcileParts, id: string, signal: AbortSignal): Promise<Reconciled> {
  // The times are counted from before the claim, so that they are over before it is.
  const deadline = AbortSignal.timeout(parts.operationMs);
  const calls = AbortSignal.any([signal, AbortSignal.timeout(parts.callsMs)]);
  const claim = await parts.claim(id);
  if (claim.kind === 'clean') return { kind: 'done', generation: claim.generation, failure: undefined };
  if (claim.kind !== 'claimed') return { kind: 'again', afterMs: lookAgainMs, failure: undefined };
  const outcome = await attempt(parts, claim, { deadline, calls, ended: signal });
  const finished = await parts.finish(outcome.finish);
  const { failure } = outcome;
  if (finished === 'lost') return { kind: 'again', afterMs: lookAgainMs, failure };
  if (outcome.finish.done) return { kind: 'done', generation: claim.generation, failure };
  return { kind: 'again', afterMs: finished === 'superseded' ? 0 : (outcome.finish.retryMs ?? 0), failure };
}

interface Signals {
  /** No further call is begun. */
  readonly deadline: AbortSignal;
  /** Calls under way end. */
  readonly calls: AbortSignal;
  /** This worker has to stop: it shuts down, or has lost its lock. */
  readonly ended: AbortSignal;
}

/** That we stopped is no failure of the destination: no attempt is counted for it. */
const cutShort = (result: ActResult): ActResult =>
  result.kind === 'failed' && (result.failure.kind === 'timeout' || result.failure.kind === 'network')
    ? { kind: 'skipped', subKey: result.subKey }
    : result;

/** One attempt. What fails in an unforeseen way, the store included, is an internal failure of this attempt. */
async function attempt(parts: ReconcileParts, claim: Claimed, signals: Signals) {
  try {
    const decided = await decide(parts, claim);
    const results = await perform(parts, claim, decided, signals);
    return report(parts, claim, decided.refusals, signals.ended.aborted ? results.map(cutShort) : results);
  } catch (cause) {
    parts.log.error({ association: claim.id, ...trace(cause) }, 'an attempt failed in an unforeseen way');
    const message =
      cause instanceof AppError ? cause.message : 'failed in an unforeseen way; the log of the worker says more';
    const failure = new DestinationFailure('internal', message, { cause });
    return report(parts, claim, [], [{ kind: 'failed', subKey: '', name: '', failure }]);
  }
}

/** Name and place of an error without its message, which may quote what it could not read. */
function trace(cause: unknown): { readonly error: string; readonly at?: string } {
  if (!(cause instanceof Error)) return { error: typeof cause };
  const frames = (cause.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: cause.name, at: frames.slice(0, 3).join('').trim() };
}

async function decide(parts: ReconcileParts, claim: Claimed): Promise<Plan> {
  const secret = claim.desired === 'present' ? await parts.currentSecret(claim.mountId, claim.secretName) : undefined;
  const { definition, store } = parts;
  return plan({
    entries: secret === undefined ? [] : toEntries(secret.json, claim.granularity),
    written: claim.objects.map(toWritten),
    tags: claim.tags,
    adopt: claim.adopt,
    forced: claim.forced || !claim.recorded,
    confirmed: new Set(claim.confirmed),
    valueBytesMax: definition.valueBytesMax,
    name: namer(claim.template, definition.names, claim),
    nameKey: definition.names.key,
    fingerprint: (name, value) => fingerprintOf(store.barrier, name, value.reveal(), claim.tags),
  });
}

function toWritten(row: ObjectRow): Written {
  return {
    subKey: row.sub_key,
    name: row.external_name,
    nameKey: row.name_key,
    mark: row.mark,
    intendedAt: new Date(row.intended_at),
    written: row.written,
    remoteVersion: row.remote_version,
    fingerprint: row.fingerprint === null ? null : Buffer.from(row.fingerprint, 'hex'),
    tagKeys: row.tag_keys,
  };
}

function fingerprintOf(barrier: Barrier, name: string, value: string, tags: Readonly<Record<string, string>>): Buffer {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return barrier.mac('fingerprint', JSON.stringify([name, value, sorted]));
}
