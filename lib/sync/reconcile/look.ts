import type { Inspection } from '#destinations/contract.ts';
import { isSameVersion } from '#destinations/frame/rules/found.ts';
import type { Written } from '../model/written.ts';
import type { ActParts, PreparedPut } from './act-parts.ts';

/**
 * Whether an object with the right fingerprint is still as we left it, so that it need not be pushed. If the remote cannot be
 * inspected we assume that it is; a failed look leads to a put.
 */
export async function isStillThere(parts: ActParts, prepared: PreparedPut): Promise<boolean> {
  const { put } = prepared;
  if (!put.verify) return false;
  if (parts.recheck) return isAsLeft(parts, prepared);
  const found = await look(parts, put.name);
  if (found === 'unknown') return true;
  if (typeof found !== 'object') return false;
  return isOurs(parts, prepared, found) && isKnown(parts, prepared, found) && isAsWanted(prepared, found);
}

/** A recheck trusts only what it sees: objects that it cannot inspect closely enough are pushed again. */
async function isAsLeft(parts: ActParts, prepared: PreparedPut): Promise<boolean> {
  if (parts.definition.coarseVersions === true) return false;
  const found = await look(parts, prepared.put.name);
  if (found === 'unknown' || found === 'failed') return false;
  const same = found !== undefined && isSame(parts, prepared, found);
  if (!same) parts.budget.mended += 1;
  return same;
}

const isOurs = ({ definition }: ActParts, { mark }: PreparedPut, found: Inspection): boolean =>
  definition.markless === true || found.mark === mark;

const isKnown = ({ definition }: ActParts, { put }: PreparedPut, found: Inspection): boolean =>
  isSameVersion(definition, put.before?.remoteVersion ?? null, found.remoteVersion);

function isSame(parts: ActParts, prepared: PreparedPut, found: Inspection): boolean {
  const { put } = prepared;
  if ((put.before?.remoteVersion ?? null) === null || !isKnown(parts, prepared, found)) return false;
  return isOurs(parts, prepared, found) && isAsWanted(prepared, found);
}

/** Whether what a put sets beside the value is right: the tags, the key, the replicas. */
function isAsWanted({ put, tags }: PreparedPut, { differs, tags: there }: Inspection): boolean {
  if (differs === true) return false;
  if (there === undefined) return true;
  return (
    Object.entries(tags).every(([key, value]) => there[key] === value) && !put.staleTags.some((key) => key in there)
  );
}

/** Whether no object has this name any longer, so that it need not be removed again. */
export async function isStillGone(parts: ActParts, { name, mark }: Written): Promise<boolean> {
  if (parts.definition.coarseVersions === true) return false;
  const found = await look(parts, name);
  if (found === undefined) return true;
  if (typeof found === 'object' && found.mark === mark) parts.budget.mended += 1;
  return false;
}

/**
 * What a list shows of the objects to be removed, in systems that have such a list. Objects that were removed before are inspected
 * one by one. A failed list counts as empty: the single looks then report the failure.
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
): Promise<Inspection | undefined | 'unknown' | 'failed'> {
  budget.spend(definition.costs?.look ?? 1);
  return driver.inspect(name, budget.signal).catch(() => 'failed' as const);
}
