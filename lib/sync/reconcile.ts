import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import {
  type DestinationDefinition,
  DestinationFailure,
  type Driver,
  type FailureKind,
} from '../destinations/contract.ts';
import type { Barrier, Store } from '../store/store.ts';
import { type ActParts, type ActResult, pushAll, removeAll, unchanged } from './act.ts';
import type { Claim, Claimed, ObjectRow } from './claims.ts';
import { toEntries } from './entries.ts';
import type { Finish, Finished } from './finish.ts';
import { type Intent, intend, intendTags, withdraw } from './intents.ts';
import { namer } from './naming.ts';
import { type Plan, type Put, plan, type Written } from './plan.ts';
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
  const outcome = await attempt(parts, claim, deadline, calls);
  const finished = await parts.finish(outcome.finish);
  const { failure } = outcome;
  if (finished === 'lost') return { kind: 'again', afterMs: lookAgainMs, failure };
  if (outcome.finish.done) return { kind: 'done', generation: claim.generation, failure };
  return { kind: 'again', afterMs: finished === 'superseded' ? 0 : (outcome.finish.retryMs ?? 0), failure };
}

/** One attempt. What fails in an unforeseen way, the store included, is an internal failure of this attempt. */
async function attempt(parts: ReconcileParts, claim: Claimed, deadline: AbortSignal, signal: AbortSignal) {
  try {
    const decided = await decide(parts, claim);
    const results = await act(parts, claim, decided, deadline, signal);
    return report(parts, claim, decided.refusals, results);
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

async function act(
  parts: ReconcileParts,
  claim: Claimed,
  decided: Plan,
  deadline: AbortSignal,
  signal: AbortSignal,
): Promise<readonly ActResult[]> {
  const kept = decided.kept.map(unchanged);
  if (decided.puts.length + decided.removes.length === 0) return kept;
  const driver = await openFor(parts, claim);
  if (driver instanceof DestinationFailure) return [...kept, ...allFailed(decided, driver)];
  const { definition } = parts;
  const shared: ActParts = { definition, driver, tags: claim.tags, deadline, signal, halt: { failure: undefined } };
  const { prepared, refused } = await prepare(parts, claim, decided.puts);
  const pushed = await pushAll(shared, prepared);
  await withdrawUnwritten(parts, claim, pushed);
  const removes = decided.removes.filter(isReplaced(claim, [...pushed, ...refused]));
  return [...refused, ...kept, ...pushed, ...(await removeAll(shared, removes))];
}

/**
 * The copy under the old name stays until the one under the new name is there; when the secret was one object and becomes
 * one per key, or the other way round, until all of them are.
 */
function isReplaced(claim: Claimed, results: readonly ActResult[]): (object: Written) => boolean {
  const open = new Set(results.flatMap((result) => ('subKey' in result ? [result.subKey] : [])));
  const whole = claim.granularity === 'secret-path';
  return ({ subKey }) => open.size === 0 || (!open.has(subKey) && (subKey === '') === whole);
}

async function openFor(parts: ReconcileParts, claim: Claimed): Promise<Driver | DestinationFailure> {
  try {
    const driver = await parts.openDriver(claim.destinationId, claim.destinationRevision);
    return driver ?? new DestinationFailure('missing', `destination ${claim.type}/${claim.destinationName} is gone`);
  } catch (cause) {
    if (cause instanceof DestinationFailure) return cause;
    throw cause;
  }
}

function allFailed(decided: Plan, failure: DestinationFailure): readonly ActResult[] {
  const puts = decided.puts.map(
    (put): ActResult => ({ kind: 'failed', subKey: put.subKey, name: put.name, failure, put }),
  );
  const removes = decided.removes.map(({ subKey, name }): ActResult => ({ kind: 'failed', subKey, name, failure }));
  return [...puts, ...removes];
}

/** Writes down what is about to be made, names and tags, and refuses names that another secret of this destination holds. */
async function prepare(parts: ReconcileParts, claim: Claimed, puts: readonly Put[]) {
  const fresh = puts.filter((put) => put.before === undefined);
  const tagKeys = Object.keys(claim.tags);
  const intents: Intent[] = fresh.map(({ subKey, name, nameKey }) => {
    const mark = markOf(parts.store.barrier, claim.id, nameKey);
    return { subKey, name, nameKey, mark, tagKeys };
  });
  const widened = puts.filter(({ before }) => before && tagKeys.some((key) => !before.tagKeys.includes(key)));
  await intendTags(
    parts.store,
    claim.id,
    widened.map(({ nameKey }) => nameKey),
    tagKeys,
  );
  const answers = await intend(parts.store, claim.id, claim.destinationId, intents);
  const refused: ActResult[] = [];
  const prepared = puts.flatMap((put) => {
    const mark = put.before?.mark ?? markOf(parts.store.barrier, claim.id, put.nameKey);
    const answer = answers.get(put.nameKey);
    const intendedAt = put.before?.intendedAt ?? answer?.intendedAt;
    if (intendedAt !== undefined && (answer?.takenBy ?? null) === null) return [{ put, mark, intendedAt }];
    refused.push({ kind: 'failed', subKey: put.subKey, name: put.name, failure: nameTaken(put, answer?.takenBy), put });
    return [];
  });
  return { prepared, refused };
}

function nameTaken(put: Put, takenBy: string | null | undefined): DestinationFailure {
  const holder = takenBy === null || takenBy === undefined ? 'another secret' : JSON.stringify(takenBy);
  const advice = 'make secret_name_template tell them apart, or remove one of the associations';
  return new DestinationFailure(
    'conflict',
    `the name ${JSON.stringify(put.name)} belongs to ${holder} at this destination already: ${advice}`,
  );
}

/** Refused before anything was written. */
const nothingWritten: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'credentials',
  'missing',
  'name',
  'too-large',
  'blocked',
]);

/**
 * A put that met a foreign object wrote nothing, nor did a first one that was refused at the door: there is nothing of ours
 * to remember, and what somebody else makes under this name later is not ours to remove.
 */
async function withdrawUnwritten(parts: ReconcileParts, claim: Claimed, results: readonly ActResult[]): Promise<void> {
  const unwritten = results.flatMap((result) => {
    if (result.kind !== 'failed' || result.put?.claim !== 'create') return [];
    const { failure, put } = result;
    const none = failure.kind === 'conflict' || (put.before === undefined && nothingWritten.has(failure.kind));
    return none ? [put.nameKey] : [];
  });
  await withdraw(parts.store, claim.id, unwritten);
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

const markOf = (barrier: Barrier, associationId: string, nameKey: string): string =>
  barrier.mac('mark', `${associationId}/${nameKey}`).toString('hex').slice(0, 32);
