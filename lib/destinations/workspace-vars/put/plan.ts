// Beyond the usual files: names are unique per category and ids outlive names, so a put is planned separately from its execution.
import type { PutMode } from '../../contract.ts';
import { type HostCategory, idOfVersion, type VariableRecord } from '../fields/record.ts';

export interface Wanted {
  readonly name: string;
  readonly mode: PutMode;
  readonly mark: string;
  readonly remoteVersion: string | null;
}

/** One write, then the removal of our other variables of this name. */
export type Plan =
  | { readonly kind: 'conflict' }
  | { readonly kind: 'create' }
  | { readonly kind: 'edit'; readonly id: string; readonly leftover: readonly string[] };

/**
 * Plans how to write `wanted`. Creating never overwrites: the host refuses a name that is taken in the category. An edit is by id
 * and sets name and category, so it reverts a renaming.
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
 * Our variables: by name and mark, or by the id from our last put unless the variable has the mark of another association. Ids are
 * never reused, so a variable with our id is ours even if its description or name was overwritten.
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
