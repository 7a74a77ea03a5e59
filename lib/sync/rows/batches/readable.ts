import type { RequestContext } from '#path/contract/request.ts';
import type { Batch } from '../../batches/batch.ts';
import { noneNamed } from '../../batches/replay/page.ts';
import { destinationsMax, type ListedDestination, listedDestinations } from '../../records/destinations.ts';
import type { RecordFilter } from '../../records/filter.ts';
import type { SyncParts } from '../parts.ts';
import { readableOf } from '../rights/readable.ts';

type Parts = Pick<SyncParts, 'store' | 'definitions'>;
type ReadContext = Pick<RequestContext, 'namespace' | 'caller' | 'mustBeAllowed' | 'warn'>;

/**
 * The ids of the destinations that a dry run counts: those whose associations the caller may read. Undefined: all.
 * @throws AppError `bad-request` when the caller may read none that has the name of the filter, as when none has it
 */
export async function countedFor(
  { store }: Parts,
  filter: RecordFilter,
  context: ReadContext,
): Promise<readonly string[] | undefined> {
  if (context.caller?.root === true) return undefined;
  const found = await listedDestinations(store, context.namespace.id, filter);
  if (found.length > destinationsMax) context.warn(`only the first ${destinationsMax} destinations are looked at`);
  const readable = await readableOf(context, found.slice(0, destinationsMax));
  if (readable.length === 0 && filter.name !== undefined) throw noneNamed(filter.name, filter.type);
  return readable.map(({ id }) => id);
}

/**
 * Tells of each batch whether the caller may read it: one that concerns a destination whose associations the caller may not read would
 * show what became of them.
 */
export function batchReader({ store, definitions }: Parts, context: ReadContext) {
  let hidden: Promise<readonly ListedDestination[]> | undefined;
  const hiddenOf = async () => {
    const all = await listedDestinations(store, context.namespace.id, {});
    const readable = new Set(await readableOf(context, all.slice(0, destinationsMax)));
    return all.filter((one) => !readable.has(one));
  };
  return async ({ filter: { type, name } }: Pick<Batch, 'filter'>): Promise<boolean> => {
    if (context.caller?.root === true) return true;
    if (name !== undefined) {
      const types = type === undefined ? definitions.map((one) => one.type) : [type];
      const readable = await readableOf(
        context,
        types.map((one) => ({ type: one, name })),
      );
      if (type !== undefined || readable.length === 0) return readable.length > 0;
    }
    hidden ??= hiddenOf();
    return !(await hidden).some(
      (one) => (type === undefined || one.type === type) && (name === undefined || one.name === name),
    );
  };
}
