import { AppError } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';

type Rights = Pick<RequestContext, 'mustBeAllowed' | 'caller'>;

/**
 * Whether the caller may read the associations of a destination by its own path. Lists and counts over several destinations leave the
 * others out, so that they show nothing that the caller could not read there.
 */
export async function mayReadAssociations(
  { mustBeAllowed, caller }: Rights,
  { type, name }: { readonly type: string; readonly name: string },
): Promise<boolean> {
  if (caller?.root === true) return true;
  try {
    await mustBeAllowed('read', `sys/sync/destinations/${type}/${name}/associations`);
    return true;
  } catch (cause) {
    if (cause instanceof AppError && cause.kind === 'permission-denied') return false;
    throw cause;
  }
}

/** Those of the destinations whose associations the caller may read. */
export async function readableOf<D extends { readonly type: string; readonly name: string }>(
  rights: Rights,
  destinations: readonly D[],
): Promise<readonly D[]> {
  if (rights.caller?.root === true) return destinations;
  const readable: D[] = [];
  for (const destination of destinations)
    if (await mayReadAssociations(rights, destination)) readable.push(destination);
  return readable;
}
