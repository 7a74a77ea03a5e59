import { DestinationFailure, type Driver, type Inspection, type ListPage } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import type { Destination } from '../drivers/drivers.ts';
import { tagsOf } from '../reconcile/plan/decide.ts';
import { type Finding, forgetOver, noteFindings, noteLooked } from './findings.ts';
import { isInLine, judgeDrift } from './judge.ts';
import { extentOf, type OwnObject, objectsLeft, objectsNamed } from './objects.ts';
import type { Calls } from './rate.ts';
import { keepTurn, type Progress, type Turn } from './turns.ts';

export interface LookParts {
  readonly definition: Destination['definition'];
  readonly store: Store;
  readonly driver: Driver;
  readonly calls: Calls;
  readonly turn: Turn;
  /** An object that was written less than this long ago is not judged, in milliseconds. */
  readonly settleMs: number;
  /** Called with the associations that drift was noted on. */
  readonly found: (ids: readonly string[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** `over`: all objects were compared. `later`: the time or the rate is used up. `lost`: another process, or no one, may go on. */
export type LookEnd = { readonly kind: 'over'; readonly unseen: number } | { readonly kind: 'later' | 'lost' };

/** From this many objects on, pages of a list are cheaper than a look at each. */
const listMin = 4;
/** A destination may have many foreign objects. We read one page for every few objects of ours. */
const objectsPerPage = 5;

/**
 * Continues the look at a destination: first page by page along the list, as far as it shows enough to compare, then by one look at each
 * object that no page showed. A difference on a page is noted only after a look at the object has confirmed it.
 *
 * @throws DestinationFailure when the destination cannot be looked at
 */
export async function lookOn(parts: LookParts): Promise<LookEnd> {
  const { store, turn } = parts;
  const { count, prefix } = await extentOf(store, turn.destination_id);
  const canList = parts.driver.list !== undefined && (parts.definition.listing ?? 'names') !== 'names';
  const pagesMax = canList && count >= listMin ? Math.ceil(count / objectsPerPage) : 0;
  let progress: Progress = turn;
  for (;;) {
    if (progress.rest_after === null && progress.pages >= pagesMax) progress = { ...progress, rest_after: '' };
    if (!(await keepTurn(store, turn, progress))) return { kind: 'lost' };
    const step =
      progress.rest_after === null ? await page(parts, progress, prefix) : await rest(parts, progress, count);
    if (step === 'later') return { kind: 'later' };
    if ('unseen' in step && 'over' in step) {
      await forgetOver(store, turn);
      return { kind: 'over', unseen: step.unseen };
    }
    progress = step;
  }
}

type Step = Progress | 'later' | { readonly over: true; readonly unseen: number };

async function page(parts: LookParts, progress: Progress, prefix: string): Promise<Step> {
  const { definition, driver, calls, turn, store, settleMs, signal } = parts;
  const from = { prefix, after: progress.list_after };
  const made = await calls.make(Math.min(1, definition.costs?.look ?? 1), async () => driver.list?.(from, signal));
  if (made === 'later') return made;
  const pages = progress.pages + 1;
  // Without the permission to list, each object is looked at.
  if (typeof made.result !== 'object') return { ...progress, pages, list_after: null, rest_after: '' };
  const listed: ListPage = made.result;
  const byKey = Map.groupBy(listed.objects, ({ name }) => definition.names.key(name));
  const own = await objectsNamed(store, turn.destination_id, [...byKey.keys()], settleMs);
  const isAsLeft = (object: OwnObject) => {
    const tags = tagsOf(definition, turn.custom_tags, object.mark);
    return (byKey.get(object.name_key) ?? []).some((one) => isInLine(definition, recordOf(object), tags, one));
  };
  const seen = own.filter((object) => object.judged && isAsLeft(object));
  await noteLooked(
    store,
    turn,
    seen.map(({ name_key }) => name_key),
  );
  // The others stay for the looks at single objects.
  return { ...progress, pages, list_after: listed.after, rest_after: listed.after === null ? '' : null };
}

async function rest(parts: LookParts, progress: Progress, count: number): Promise<Step> {
  const { turn, store, settleMs } = parts;
  const { objects, last } = await objectsLeft(store, turn.destination_id, progress.rest_after ?? '', settleMs);
  const { findings, looked, unseen, reached } = await lookAtEach(parts, objects);
  await noteLooked(store, turn, looked);
  await parts.found(await noteFindings(store, turn, findings));
  const sum = progress.unseen + unseen;
  if (reached < objects.length) {
    const after = objects[reached - 1]?.name_key ?? progress.rest_after;
    await keepTurn(store, turn, { ...progress, rest_after: after, unseen: sum });
    return 'later';
  }
  // Credentials that may not look at any of so many may not look at the others.
  if (unseen === objects.length && unseen >= blindMin) return { over: true, unseen: count };
  return last === null ? { over: true, unseen: sum } : { ...progress, rest_after: last, unseen: sum };
}

const blindMin = 20;

/** Looks at objects one by one. `reached`: how many, before the time or the rate was used up. */
async function lookAtEach(parts: LookParts, objects: readonly OwnObject[]) {
  const { definition, driver, calls, signal } = parts;
  const findings: Finding[] = [];
  const looked: string[] = [];
  let unseen = 0;
  for (const [reached, object] of objects.entries()) {
    if (!object.judged) continue;
    const made = await calls.make(definition.costs?.look ?? 1, () => driver.inspect(object.external_name, signal));
    if (made === 'later') return { findings, looked, unseen, reached };
    if (made.result === 'unknown') {
      unseen += 1;
      continue;
    }
    looked.push(object.name_key);
    const kind = kindOf(parts, object, made.result);
    if (kind !== undefined) findings.push({ object, kind });
  }
  return { findings, looked, unseen, reached: objects.length };
}

const kindOf = ({ definition, turn }: LookParts, object: OwnObject, seen: Inspection | undefined) =>
  judgeDrift(definition, recordOf(object), tagsOf(definition, turn.custom_tags, object.mark), seen);

const recordOf = ({ mark, remote_version, written_at }: OwnObject) => ({
  mark,
  remoteVersion: remote_version,
  writtenAt: written_at,
});

/** Why a look ended, as reads show it. */
export const errorOf = (cause: unknown): { readonly kind: string; readonly message: string } =>
  cause instanceof DestinationFailure
    ? { kind: cause.kind, message: cause.message }
    : { kind: 'internal', message: 'the look failed unexpectedly: see the log of the worker' };
