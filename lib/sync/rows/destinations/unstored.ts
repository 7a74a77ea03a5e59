import type { DestinationDefinition } from '#destinations/contract.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Fields } from '#path/fields.ts';
import { unmask } from '../fields/mask.ts';
import type { SyncParts } from '../parts.ts';
import { judged } from './guard/judged.ts';
import { merged, replaced } from './merge.ts';
import { type DestinationValues, loadDestination } from './store.ts';

type Given = Readonly<Record<string, unknown>>;
export type Values = Omit<DestinationValues, 'name'>;

/** The key of a destination that a request names. */
export const keyOf = ({ type }: DestinationDefinition, name: string, { namespace }: RequestContext) => ({
  namespace_id: namespace.id,
  type,
  name,
});

/** The given fields over the stored ones, by the rules of a write. A destination that does not exist has none stored. */
export async function wantedOf(
  parts: SyncParts,
  definition: DestinationDefinition,
  own: Fields,
  input: Given,
  context: RequestContext,
): Promise<Values> {
  const key = keyOf(definition, String(input['name']), context);
  return parts.store.transaction(async (tx) => {
    const before = await loadDestination(parts.store, tx, key);
    const given = unmask(definition, input, before?.connection);
    const wanted = before === undefined ? replaced(own, before, given) : merged(definition, own, before, given);
    return judged(parts, definition, { tx, namespaceId: key.namespace_id, before, wanted, input });
  });
}
