import { type DestinationDefinition, DestinationFailure } from '#destinations/contract.ts';
import type { Claimed } from '../claim/claim.ts';
import { rememberedAfter } from '../claim/rechecks.ts';
import type { AttemptOutcome, Finish, Rechecked, SyncError, SyncRecord, WrittenObject } from '../model/finish.ts';
import {
  type AttemptResult,
  decidingFailure,
  judge,
  type RetryPolicy,
  type SyncStatus,
  statusAfter,
  statusOf,
  type Verdict,
} from '../model/status.ts';
import type { RecheckTimes } from '../model/unconfirmed.ts';
import type { Written } from '../model/written.ts';
import type { ActResult } from './act.ts';
import type { AttemptBudget } from './attempt-budget.ts';
import type { Refusal } from './plan/plan.ts';

interface ReportParts {
  readonly definition: Pick<DestinationDefinition, 'coarseVersions'>;
  readonly store: { readonly clock: { now(): Date } };
  readonly random: () => number;
  readonly retry: RetryPolicy;
  readonly recheck: RecheckTimes;
}

/** What an attempt noticed while it ran. */
type Noticed = Pick<AttemptBudget, 'unconfirmed' | 'mended' | 'calls' | 'elapsedMs'>;

/** Turns the results of an attempt into its outcome and decides the status. Has no side effects. */
export function report(
  parts: ReportParts,
  claim: Claimed,
  refusals: readonly Refusal[],
  results: readonly ActResult[],
  noticed: Noticed,
): { readonly finish: Finish; readonly failure: DestinationFailure | undefined } {
  const failures = [
    ...results.flatMap((result) => (result.kind === 'failed' ? [result.failure] : [])),
    ...refusals.map(asFailure),
  ];
  const failure = decidingFailure(failures);
  const progressed = hasProgressed(claim, results);
  const attempt = failure === undefined ? 0 : (progressed ? 0 : claim.attempts) + 1;
  const verdict = failure === undefined ? undefined : judge(failure, attempt, parts.retry, parts.random());
  const retrying = verdict?.kind === 'retry';
  // Objects that can never be pushed must not keep the skipped ones from their turn.
  const hasMore = results.some(({ kind }) => kind === 'skipped') && (progressed || attempt < parts.retry.attemptsMax);
  const outcome = attemptOutcome(verdict, hasMore);
  const done = outcome !== 'retry' && outcome !== 'unfinished';
  const put = results.filter((result) => result.kind === 'put');
  const kept = results.flatMap((result) => (result.kind === 'kept' ? [result.put.nameKey] : []));
  const unaffected = results.flatMap((result) => ('unaffected' in result ? (result.unaffected ?? []) : []));
  const removed = results.flatMap((result) => (result.kind === 'removed' ? [result.object.nameKey] : []));
  const { unconfirmed } = noticed;
  const ended = {
    unconfirmed,
    done,
    failed: failure !== undefined,
    arrived: failure === undefined || put.length + kept.length + removed.length > 0,
    continued: claim.confirmed.length > 0,
  };
  const remembered = rememberedAfter(claim.unconfirmed, ended, parts.recheck) ?? null;
  const remembers = (claim.unconfirmed !== undefined || unconfirmed) && remembered?.over !== true;
  const status = statusAfter({ outcome, objects: put.length + kept.length });
  const records = toRecords(results, refusals, retrying, parts.store.clock.now().toISOString());
  return {
    failure,
    finish: {
      id: claim.id,
      token: claim.token,
      generation: claim.generation,
      done,
      status,
      error: failure === undefined ? null : toError(failure),
      records: done ? records : records.map((record) => ({ ...record, generation: claim.generation })),
      attempts: attempt,
      retryMs: retrying ? verdict.afterMs : null,
      written: put.map((result) => toObject(result, claim, remembers)),
      kept: [...kept, ...unaffected],
      removed: remembers ? [] : removed,
      tombstoned: remembers ? removed : [],
      remembered,
      rechecked: done && claim.unconfirmed?.due === true ? recheckedAs(parts, noticed) : null,
      attempt: {
        outcome: shownOutcome(outcome, status),
        durationMs: noticed.elapsedMs,
        calls: noticed.calls,
        requestId: failure?.requestId ?? null,
      },
    },
  };
}

/**
 * Whether an attempt pushed or removed an object that earlier ones had not. If so, the count of failed attempts starts over: a
 * secret with many keys may need many attempts, as long as each makes progress.
 */
function hasProgressed({ confirmed }: Claimed, results: readonly ActResult[]): boolean {
  const known = new Set(confirmed);
  return results.some((result) => result.kind === 'removed' || (result.kind === 'put' && !known.has(result.put.name)));
}

function attemptOutcome(verdict: Verdict | undefined, hasMore: boolean): AttemptResult['outcome'] {
  if (verdict?.kind === 'retry') return 'retry';
  if (hasMore) return 'unfinished';
  return verdict?.status ?? 'clean';
}

function shownOutcome(outcome: AttemptResult['outcome'], status: SyncStatus): AttemptOutcome {
  if (outcome === 'retry') return 'retrying';
  if (outcome === 'unfinished') return 'continued';
  if (outcome !== 'clean') return 'failed';
  return status === 'UNSYNCED' ? 'unsynced' : 'synced';
}

function toRecords(
  results: readonly ActResult[],
  refusals: readonly Refusal[],
  retrying: boolean,
  now: string,
): SyncRecord[] {
  const record = (sub_key: string, external_name: string, status: SyncStatus, error: SyncError | null): SyncRecord => ({
    sub_key,
    external_name,
    status,
    error,
    updated_at: now,
  });
  const acted = results.flatMap((result): SyncRecord[] => {
    if (result.kind === 'put' || result.kind === 'kept')
      return [record(result.put.subKey, result.put.name, 'SYNCED', null)];
    if (result.kind === 'skipped') return [record(result.subKey, '', 'PENDING', null)];
    if (result.kind === 'removed') return [];
    const status = retrying ? 'PENDING' : statusOf(result.failure.kind);
    return [record(result.subKey, result.name, status, toError(result.failure))];
  });
  const refused = refusals.map((refusal) =>
    record(refusal.subKey, refusal.name, 'CLIENT_SIDE_ERROR', toError(refusal)),
  );
  return [...acted, ...refused];
}

const toError = ({ kind, message }: Pick<DestinationFailure, 'kind' | 'message'>): SyncError => ({
  kind,
  message: storable(message),
});

const messageLengthMax = 1_024;

/** A remote may quote anything, but PostgreSQL would refuse the whole outcome for half a character or a NUL. */
const storable = (message: string): string =>
  message.slice(0, messageLengthMax).toWellFormed().replaceAll('\0', '\ufffd');

const asFailure = (refusal: Refusal): DestinationFailure => new DestinationFailure(refusal.kind, refusal.message);

function recheckedAs({ definition }: ReportParts, { mended }: Noticed): Rechecked {
  if (definition.coarseVersions === true) return 'repeated';
  return mended > 0 ? 'mended' : 'unchanged';
}

/** @param remembers keep the keys of earlier tags too, because a late write may set them again */
function toObject({ put, remoteVersion }: PutResult, claim: Claimed, remembers: boolean): WrittenObject {
  const { before } = put;
  const earlier = remembers ? (before?.tagKeys ?? []) : [];
  const tagKeys = [...new Set([...Object.keys(claim.tags), ...earlier])];
  return {
    name_key: put.nameKey,
    sub_key: put.subKey,
    remote_version: remoteVersion,
    fingerprint: `\\x${put.fingerprint.toString('hex')}`,
    tag_keys: tagKeys,
    noted:
      before === undefined || (before.subKey === put.subKey && before.removal === 'none' && hasAll(before, tagKeys)),
  };
}

type PutResult = Extract<ActResult, { kind: 'put' }>;

const hasAll = ({ tagKeys }: Written, wanted: readonly string[]): boolean =>
  tagKeys.length === wanted.length && wanted.every((key) => tagKeys.includes(key));
