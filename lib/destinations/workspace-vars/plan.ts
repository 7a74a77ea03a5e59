// Beyond the usual files: a name is taken once per category and ids outlive names, so what a put does is decided apart.
import type { PutMode } from '../contract.ts';
import { type HostCategory, idOfVersion, type VariableRecord } from './record.ts';

export interface Wanted {
  readonly name: string;
  readonly mode: PutMode;
  readonly mark: string;
  readonly remoteVersion: string | null;
}

/** One write, then the removal of what we wrote and do not need beside it. */
export type Plan =
  | { readonly kind: 'conflict' }
  | { readonly kind: 'create' }
  | { readonly kind: 'edit'; readonly id: string; readonly leftover: readonly string[] };

/**
 * Decides how `wanted` comes to be there. Creating never overwrites: the host refuses a name that is taken in the category. An
 * edit is by id and carries name and category, so it brings back what somebody has renamed.
 */
export function plan(wanted: Wanted, category: HostCategory, records: readonly VariableRecord[]): Plan {
  const own = ownRecords(wanted, records);
  const present = records.find((record) => record.name === wanted.name && record.category === category);
  const isForeign = present !== undefined && !own.includes(present);
  if (isForeign && wanted.mode !== 'adopt') return { kind: 'conflict' };
  const main = present ?? own[0];
  if (main === undefined) return { kind: 'create' };
  return { kind: 'edit', id: main.id, leftover: own.filter((record) => record !== main).map(({ id }) => id) };
}

/**
 * Ours by its name and mark; or by the id that our last put was answered, unless it bears the mark of another association: an
 * id is given once, so somebody who wrote over the description or the name did it to ours.
 */
export function ownRecords(
  { name, mode, mark, remoteVersion }: Wanted,
  records: readonly VariableRecord[],
): readonly VariableRecord[] {
  const id = mode === 'create' ? undefined : idOfVersion(remoteVersion);
  const isMarked = (record: VariableRecord) => record.name === name && record.mark === mark;
  const isKnown = (record: VariableRecord) => record.id === id && (record.mark === null || record.mark === mark);
  return records.filter((record) => isMarked(record) || isKnown(record));
}
