import {
  type DestinationDefinition,
  DestinationFailure,
  type Driver,
  type FailureKind,
  type PutItem,
  type PutOutcome,
} from '../destinations/contract.ts';
import type { Course } from './course.ts';
import type { Put, Written } from './plan.ts';

/** What one call, or several in one, came to. `skipped`: the time was over before it. */
export type ActResult =
  | { readonly kind: 'put'; readonly put: Put; readonly remoteVersion: string | null }
  | { readonly kind: 'removed'; readonly object: Written }
  | {
      readonly kind: 'failed';
      readonly subKey: string;
      readonly name: string;
      readonly failure: DestinationFailure;
      readonly put?: Put;
    }
  | { readonly kind: 'skipped'; readonly subKey: string };

export interface ActParts {
  readonly definition: DestinationDefinition;
  readonly driver: Driver;
  readonly tags: Readonly<Record<string, string>>;
  readonly course: Course;
}

const ofDestination: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'throttled',
  'credentials',
  'missing',
  'blocked',
]);

export interface PreparedPut {
  readonly put: Put;
  readonly mark: string;
  readonly intendedAt: Date;
}

/** Pushes what has to be there, a few at a time; what looks unchanged is looked at first. */
export async function pushAll(parts: ActParts, puts: readonly PreparedPut[]): Promise<readonly ActResult[]> {
  const { driver, course } = parts;
  const putMany = driver.putMany?.bind(driver);
  if (putMany === undefined) return eachOf(puts, course.widthMax, (one) => pushOne(parts, one));
  const looked = await eachOf(puts, course.widthMax, async (one) => ({
    one,
    known: await stillThere(parts, one),
  }));
  const done = looked.filter(({ known }) => known).map(({ one }) => unchanged(one.put));
  const open = looked.filter(({ known }) => !known).map(({ one }) => one);
  return [...done, ...(await pushBatch(parts, open, putMany))];
}

/** Removes what has to go. */
export function removeAll(parts: ActParts, removes: readonly Written[]): Promise<readonly ActResult[]> {
  const { course, driver } = parts;
  return eachOf(removes, course.widthMax, async (object) => {
    const { name, mark, remoteVersion } = object;
    if (course.halted !== undefined) return { kind: 'failed', subKey: object.subKey, name, failure: course.halted };
    if (course.over) return { kind: 'skipped', subKey: object.subKey };
    try {
      course.calls += 1;
      await driver.remove({ name, mark, remoteVersion }, course.signal);
      return { kind: 'removed', object };
    } catch (cause) {
      return { kind: 'failed', subKey: object.subKey, name, failure: toFailure(parts, cause, name) };
    }
  });
}

async function pushOne(parts: ActParts, prepared: PreparedPut): Promise<ActResult> {
  const { put } = prepared;
  const { course, driver } = parts;
  if (course.halted !== undefined) return failed(put, course.halted);
  if (course.over) return { kind: 'skipped', subKey: put.subKey };
  try {
    if (await stillThere(parts, prepared)) return unchanged(put);
    course.calls += 1;
    const { remoteVersion } = await driver.put(toItem(parts, prepared), course.signal);
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
  const { course } = parts;
  if (course.over) return prepared.map(({ put }) => ({ kind: 'skipped', subKey: put.subKey }));
  try {
    course.calls += 1;
    const outcomes = await putMany(
      prepared.map((one) => toItem(parts, one)),
      course.signal,
    );
    return prepared.map(({ put }, index) => fromOutcome(put, outcomes[index]));
  } catch (cause) {
    return prepared.map(({ put }) => failed(put, toFailure(parts, cause, put.name)));
  }
}

function fromOutcome(put: Put, outcome: PutOutcome | undefined): ActResult {
  if (outcome === undefined) return failed(put, new DestinationFailure('internal', `no outcome for ${put.name}`));
  if (!outcome.ok) return failed(put, outcome.failure);
  return { kind: 'put', put, remoteVersion: outcome.receipt.remoteVersion };
}

const failed = (put: Put, failure: DestinationFailure): ActResult => ({
  kind: 'failed',
  subKey: put.subKey,
  name: put.name,
  failure,
  put,
});

/** An object that is as it should be. */
export const unchanged = (put: Put): ActResult => ({
  kind: 'put',
  put,
  remoteVersion: put.before?.remoteVersion ?? null,
});

/** The value has this fingerprint already. A remote that does not let us look is believed to have it still; a look that failed is followed by a put. */
async function stillThere(parts: ActParts, { put }: PreparedPut): Promise<boolean> {
  if (!put.verify) return false;
  parts.course.calls += 1;
  const found = await parts.driver.inspect(put.name, parts.course.signal).catch(() => undefined);
  if (found === 'unknown') return true;
  return found !== undefined && found.remoteVersion === put.before?.remoteVersion;
}

function toItem(parts: ActParts, { put, mark, intendedAt }: PreparedPut): PutItem {
  return {
    name: put.name,
    value: put.value,
    tags: parts.definition.tags === undefined ? {} : { ...parts.tags, ...parts.definition.tags.builtIn(mark) },
    staleTags: put.staleTags,
    claim: put.claim,
    mark,
    intendedAt,
    remoteVersion: put.before?.remoteVersion ?? null,
  };
}

/** A driver throws nothing else; if it does, nothing of the foreign error is shown, it may hold anything. */
function toFailure(parts: ActParts, cause: unknown, name: string): DestinationFailure {
  if (cause instanceof DestinationFailure) {
    if (ofDestination.has(cause.kind)) parts.course.halted ??= cause;
    return cause;
  }
  return new DestinationFailure('internal', `${name}: the driver failed in an unforeseen way`, { cause });
}

/** Runs `work` over the items, at most `widthMax` at once; the results are in the order of the items. */
async function eachOf<T, R>(
  items: readonly T[],
  widthMax: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const iterator = items.entries();
  const lane = async () => {
    for (const [index, item] of iterator) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(widthMax, items.length) }, lane));
  return results;
}
