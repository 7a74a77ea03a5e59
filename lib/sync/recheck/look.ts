import type { Inspection } from '../../destinations/contract.ts';
import { isSameVersion } from '../../destinations/frame/rules/same-version.ts';
import type { ActParts, PreparedPut } from '../reconcile/act-parts.ts';
import type { Written } from '../reconcile/plan/plan.ts';

/**
 * Whether an object that has this fingerprint already is still there as it was left, so that it need not be pushed. A remote
 * that does not let us look is believed to have it still; a look that failed is followed by a put.
 */
export async function isStillThere(parts: ActParts, prepared: PreparedPut): Promise<boolean> {
  const { put } = prepared;
  if (!put.verify) return false;
  if (parts.recheck) return isAsLeft(parts, prepared);
  const found = await look(parts, put.name);
  if (found === 'unknown') return true;
  return typeof found === 'object' && isOurs(parts, prepared, found) && isKnown(parts, prepared, found);
}

/** A recheck believes only what it sees: what it cannot look at, or not closely enough, is pushed once more. */
async function isAsLeft(parts: ActParts, prepared: PreparedPut): Promise<boolean> {
  if (parts.definition.coarseVersions === true) return false;
  const found = await look(parts, prepared.put.name);
  if (found === 'unknown' || found === 'unseen') return false;
  const same = found !== undefined && isSame(parts, prepared, found);
  if (!same) parts.budget.mended += 1;
  return same;
}

const isOurs = ({ definition }: ActParts, { mark }: PreparedPut, found: Inspection): boolean =>
  definition.markless === true || found.mark === mark;

const isKnown = ({ definition }: ActParts, { put }: PreparedPut, found: Inspection): boolean =>
  isSameVersion(definition, put.before?.remoteVersion ?? null, found.remoteVersion);

function isSame(parts: ActParts, prepared: PreparedPut, found: Inspection): boolean {
  const { put, tags } = prepared;
  if ((put.before?.remoteVersion ?? null) === null || !isKnown(parts, prepared, found)) return false;
  if (found.differs === true || !isOurs(parts, prepared, found)) return false;
  const there = found.tags;
  if (there === undefined) return true;
  return (
    Object.entries(tags).every(([key, value]) => there[key] === value) && !put.staleTags.some((key) => key in there)
  );
}

/** Whether there is nothing under this name any more, so that it need not be removed again. */
export async function isStillGone(parts: ActParts, { name, mark }: Written): Promise<boolean> {
  if (parts.definition.coarseVersions === true) return false;
  const found = await look(parts, name);
  if (found === undefined) return true;
  if (typeof found === 'object' && found.mark === mark) parts.budget.mended += 1;
  return false;
}

/**
 * What a list shows of objects that are to be removed, in systems that have one. What was removed before is looked at singly. A
 * list that fails shows nothing: the looks say why.
 */
export async function survey(
  { budget, driver }: ActParts,
  removes: readonly Written[],
): Promise<ReadonlyMap<string, Inspection>> {
  const names = removes.filter(({ removal }) => removal === 'none').map(({ name }) => name);
  if (driver.survey === undefined || names.length === 0 || budget.over || budget.halted !== undefined) return new Map();
  budget.spend(1);
  const seen = await driver.survey(names, budget.signal).catch(() => undefined);
  if (seen === undefined) return new Map();
  budget.spend(seen.calls - 1);
  return seen.found;
}

async function look(
  { budget, definition, driver }: ActParts,
  name: string,
): Promise<Inspection | undefined | 'unknown' | 'unseen'> {
  budget.spend(definition.costs?.look ?? 1);
  return driver.inspect(name, budget.signal).catch(() => 'unseen' as const);
}
