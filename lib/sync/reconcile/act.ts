import { eachOf } from '#core/concurrency/each-of.ts';
import { DestinationFailure, type FailureKind, type PutItem, type PutOutcome } from '#destinations/contract.ts';
import { isUnconfirmed } from '../claim/rechecks.ts';
import type { Written } from '../model/written.ts';
import type { ActParts, PreparedPut } from './act-parts.ts';
import { isStillGone, isStillThere, survey } from './look.ts';
import { isCertain, type Put } from './plan/plan.ts';

/** The result for one object. `skipped`: the time ran out before its call. */
export type ActResult =
  | { readonly kind: 'put'; readonly put: Put; readonly remoteVersion: string | null }
  /** No call was made: the object is in line as far as we know. */
  | { readonly kind: 'kept'; readonly put: Put }
  | { readonly kind: 'removed'; readonly object: Written }
  | {
      readonly kind: 'failed';
      readonly subKey: string;
      readonly name: string;
      readonly failure: DestinationFailure;
      readonly put?: Put;
      /** Name key of an object that is certainly unchanged despite the failure. */
      readonly unaffected?: string | undefined;
    }
  | { readonly kind: 'skipped'; readonly subKey: string; readonly unaffected?: string | undefined };

const ofDestination: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'throttled',
  'credentials',
  'missing',
  'blocked',
]);

/** From this many removals on, one list is cheaper than a look at each object. */
const manyMin = 4;

/** Pushes the objects that should exist, a few at a time; those that look unchanged are inspected first. */
export async function pushAll(parts: ActParts, puts: readonly PreparedPut[]): Promise<readonly ActResult[]> {
  const { driver, budget } = parts;
  const putMany = driver.putMany?.bind(driver);
  if (putMany === undefined) return eachOf(puts, budget.widthMax, (one) => pushOne(parts, one));
  const looked = await eachOf(puts, budget.widthMax, async (one) => ({
    one,
    known: await isStillThere(parts, one),
  }));
  const done = looked.filter(({ known }) => known).map(({ one }) => unchanged(one.put));
  const open = looked.filter(({ known }) => !known).map(({ one }) => one);
  return [...done, ...(await pushBatch(parts, open, putMany))];
}

/** Removes the objects that should not exist. */
export async function removeAll(parts: ActParts, removes: readonly Written[]): Promise<readonly ActResult[]> {
  const { budget, driver } = parts;
  const many = removes.length >= manyMin;
  const seen = await survey(parts, many ? removes : []);
  return eachOf(removes, budget.widthMax, async (object) => {
    const { name, mark, remoteVersion } = object;
    if (budget.halted !== undefined) {
      const unaffected = isPassing(budget.halted) ? object.nameKey : undefined;
      return { kind: 'failed', subKey: object.subKey, name, failure: budget.halted, unaffected };
    }
    if (budget.over) return skipped(object);
    try {
      if (object.removal !== 'none' && (await isStillGone(parts, object))) return { kind: 'removed', object };
      if (budget.over) return skipped(object);
      budget.spend(1);
      const item = { name, mark, remoteVersion, asRecorded: isCertain(object), many, seen: seen.get(name) };
      await driver.remove(item, budget.signal);
      return { kind: 'removed', object };
    } catch (cause) {
      return { kind: 'failed', subKey: object.subKey, name, failure: toFailure(parts, cause, name) };
    }
  });
}

async function pushOne(parts: ActParts, prepared: PreparedPut): Promise<ActResult> {
  const { put } = prepared;
  const { budget, driver } = parts;
  if (budget.halted !== undefined) return failed(put, budget.halted, false);
  if (budget.over) return skipped(put);
  try {
    if (await isStillThere(parts, prepared)) return unchanged(put);
    if (budget.over) return skipped(put);
    budget.spend(put.mode === 'create' ? (parts.definition.costs?.create ?? 1) : 1);
    const { remoteVersion } = await driver.put(toItem(prepared), budget.signal);
    return { kind: 'put', put, remoteVersion };
  } catch (cause) {
    return failed(put, toFailure(parts, cause, put.name));
  }
}

async function pushBatch(
  parts: ActParts,
  prepared: readonly PreparedPut[],
  putMany: (items: readonly PutItem[], signal: AbortSignal) => Promise<readonly PutOutcome[]>,
): Promise<readonly ActResult[]> {
  if (prepared.length === 0) return [];
  const { budget } = parts;
  if (budget.over) return prepared.map(({ put }) => skipped(put));
  try {
    budget.spend(1);
    const outcomes = await putMany(
      prepared.map((one) => toItem(one)),
      budget.signal,
    );
    return prepared.map(({ put }, index) => fromOutcome(parts, put, outcomes[index]));
  } catch (cause) {
    return prepared.map(({ put }) => failed(put, toFailure(parts, cause, put.name)));
  }
}

function fromOutcome({ budget }: ActParts, put: Put, outcome: PutOutcome | undefined): ActResult {
  if (outcome?.ok !== true) {
    const failure = outcome?.failure ?? new DestinationFailure('internal', `no outcome for ${put.name}`);
    budget.unconfirmed ||= isUnconfirmed(failure);
    return failed(put, failure);
  }
  return { kind: 'put', put, remoteVersion: outcome.receipt.remoteVersion };
}

const skipped = ({ subKey, nameKey }: Pick<Put, 'subKey' | 'nameKey'>): ActResult => ({
  kind: 'skipped',
  subKey,
  unaffected: nameKey,
});

/** @param called false when nothing was sent for this object because it shares the failure of another */
const failed = (put: Put, failure: DestinationFailure, called = true): ActResult => ({
  kind: 'failed',
  subKey: put.subKey,
  name: put.name,
  failure,
  put,
  unaffected: isPassing(failure) && (!called || failure.untouched) ? put.nameKey : undefined,
});

/** A temporary failure. Any other may mean that objects are not as we left them: replaced, or gone with their vault. */
const isPassing = ({ kind }: DestinationFailure): boolean => passing.has(kind);

const passing: ReadonlySet<FailureKind> = new Set<FailureKind>(['throttled', 'unavailable', 'timeout', 'network']);

/** The result for an object that needs no push. */
const unchanged = (put: Put): ActResult => ({
  kind: 'put',
  put,
  remoteVersion: put.before?.remoteVersion ?? null,
});

function toItem({ put, mark, intendedAt, intent, tags }: PreparedPut): PutItem {
  return {
    name: put.name,
    value: put.value,
    tags,
    staleTags: put.staleTags,
    mode: put.mode,
    mark,
    intendedAt,
    intent,
    remoteVersion: put.before?.remoteVersion ?? null,
    asRecorded: put.asRecorded,
  };
}

/** Drivers throw only `DestinationFailure`. The text of any other error is not shown, because it may hold anything. */
function toFailure({ budget }: ActParts, cause: unknown, name: string): DestinationFailure {
  const failure =
    cause instanceof DestinationFailure
      ? cause
      : new DestinationFailure('internal', `${name}: the driver failed unexpectedly`, { cause });
  if (ofDestination.has(failure.kind)) budget.halted ??= failure;
  budget.unconfirmed ||= isUnconfirmed(failure);
  return failure;
}
