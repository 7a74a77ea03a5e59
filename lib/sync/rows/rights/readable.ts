import { AppError } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';

type Rights = Pick<RequestContext, 'mustBeAllowed' | 'caller'>;

/**
 * Whether the caller may read the associations of a destination by its own path. Lists and counts over several destinations leave the
 * others out, so that they show nothing that the caller could not read there.
 */
export const mayReadAssociations = (rights: Rights, destination: Named): Promise<boolean> =>
  mayRead(rights, destination, 'associations');

interface Named {
  readonly type: string;
  readonly name: string;
}

async function mayRead(
  { mustBeAllowed, caller }: Rights,
  { type, name }: Named,
  what: 'associations' | 'plan',
): Promise<boolean> {
  if (caller?.root === true) return true;
  try {
    await mustBeAllowed('read', `sys/sync/destinations/${type}/${name}/${what}`);
    return true;
  } catch (cause) {
    if (cause instanceof AppError && cause.kind === 'permission-denied') return false;
    throw cause;
  }
}

/** Those of the destinations whose associations the caller may read. */
export const readableOf = <D extends Named>(rights: Rights, destinations: readonly D[]): Promise<readonly D[]> =>
  allowedOf(rights, destinations, 'associations');

/** Those of the destinations whose syncs the caller may plan. */
export const plannableOf = <D extends Named>(rights: Rights, destinations: readonly D[]): Promise<readonly D[]> =>
  allowedOf(rights, destinations, 'plan');

async function allowedOf<D extends Named>(
  rights: Rights,
  destinations: readonly D[],
  what: 'associations' | 'plan',
): Promise<readonly D[]> {
  if (rights.caller?.root === true) return destinations;
  const readable: D[] = [];
  for (const destination of destinations) if (await mayRead(rights, destination, what)) readable.push(destination);
  return readable;
}
