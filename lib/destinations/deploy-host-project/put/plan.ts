// Beyond the usual files: several variables may share a name, so a put is planned separately from its execution.
import type { PutMode } from '../../contract.ts';
import { idOfVersion, type VariableRecord } from '../client/record.ts';

export interface Wanted {
  readonly name: string;
  readonly mode: PutMode;
  readonly mark: string;
  readonly remoteVersion: string | null;
}

/** First `steps`, then one write. */
export type Plan =
  | { readonly kind: 'conflict'; readonly record: VariableRecord }
  | { readonly kind: 'write'; readonly steps: readonly Step[]; readonly write: Write };

/** `narrow` takes our environments off a variable, which keeps the others and its value. */
export type Step =
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'narrow'; readonly id: string; readonly targets: readonly string[] };

/**
 * - `create`: we have no variable. The host refuses it if another one exists meanwhile, so it never overwrites.
 * - `replace`: our variable has exactly our environments, so an upsert matches it, and many can go in one call.
 * - `edit`: by id, where an upsert would be refused because the environments differ.
 */
export type Write = { readonly kind: 'create' | 'replace' } | { readonly kind: 'edit'; readonly id: string };

/**
 * Plans how to write `wanted` for `targets`. The host allows one variable of a name per environment, but a variable may be for
 * several. So others of the same name may exist legitimately: those for other environments or for a branch stay; a foreign one
 * that shares an environment with us is a conflict, unless we adopt.
 */
export function plan(wanted: Wanted, targets: readonly string[], records: readonly VariableRecord[]): Plan {
  const present = records.filter(({ name, branch }) => name === wanted.name && branch === null);
  const own = ownRecords(wanted, present);
  const foreign = present.filter((record) => !own.includes(record) && overlaps(record, targets));
  const [rival] = foreign;
  if (rival !== undefined && wanted.mode !== 'adopt') return { kind: 'conflict', record: rival };
  const main = own[0] ?? foreign.find((record) => isWithin(record, targets));
  const others = [...own, ...foreign].filter((record) => record !== main);
  const steps = others.map((record) => giveWay(record, own, targets));
  return { kind: 'write', steps, write: writeOver(main, wanted.mark, targets) };
}

/** Our variables: by mark or, when the comment was overwritten, by the id from our last put. */
export function ownRecords({ mode, mark, remoteVersion }: Wanted, present: readonly VariableRecord[]) {
  const marked = present.filter((record) => record.mark === mark);
  if (marked.length > 0 || mode === 'create') return marked;
  const id = idOfVersion(remoteVersion);
  return present.filter((record) => record.id === id);
}

export const overlaps = (record: VariableRecord, targets: readonly string[]): boolean =>
  record.targets.some((target) => targets.includes(target));

const isWithin = (record: VariableRecord, targets: readonly string[]): boolean =>
  record.customEnvironments.length === 0 && record.targets.every((target) => targets.includes(target));

const isExactly = (record: VariableRecord, targets: readonly string[]): boolean =>
  isWithin(record, targets) && targets.every((target) => record.targets.includes(target));

function giveWay(record: VariableRecord, own: readonly VariableRecord[], targets: readonly string[]): Step {
  if (own.includes(record) || isWithin(record, targets)) return { kind: 'remove', id: record.id };
  return { kind: 'narrow', id: record.id, targets: record.targets.filter((target) => !targets.includes(target)) };
}

function writeOver(main: VariableRecord | undefined, mark: string, targets: readonly string[]): Write {
  if (main === undefined) return { kind: 'create' };
  // An upsert sets the type, which a sensitive variable cannot change. It is used only for variables with our mark.
  const upsertable = main.mark === mark && main.type === 'encrypted' && isExactly(main, targets);
  return upsertable ? { kind: 'replace' } : { kind: 'edit', id: main.id };
}
