import type { Log } from '#core/log/log.ts';
import { type DestinationDefinition, DestinationFailure } from '../../contract.ts';

/** The failure of a put whose name belongs to a foreign object. `what`: "a secret of this name in the vault". */
export const foreignObject = (what: string): DestinationFailure =>
  new DestinationFailure(
    'conflict',
    `${what} already exists and is not ours: remove it there, change secret_name_template, or adopt it`,
  );

/** For a removal that succeeds without removing a foreign object. */
export const warnOfForeign = (log: Log, name: string): void =>
  log.warn({ name }, 'nothing to remove: the secret of this name is not ours');

/** For the `catch` of a look: a driver that may not look answers `'unknown'`. @throws any other failure */
export function unknownIfForbidden(error: unknown): 'unknown' {
  if (error instanceof DestinationFailure && error.kind === 'permission') return 'unknown';
  throw error;
}

/** Whether a look found the version that our last put left. Null, for no version, equals only null. */
export function isSameVersion(
  definition: Pick<DestinationDefinition, 'isSameVersion'>,
  recorded: string | null,
  found: string | null,
): boolean {
  if (recorded === null || found === null) return recorded === found;
  return definition.isSameVersion?.(recorded, found) ?? recorded === found;
}

/**
 * Whether an object without our mark is the one that our last put left. Where a list shows no versions, they say little beside the mark, and
 * another object may have the same number: they are compared as a whole.
 */
export function isSameObject(
  definition: Pick<DestinationDefinition, 'isSameVersion' | 'isSameObject' | 'listing'>,
  recorded: string | null,
  found: string | null,
): boolean {
  if (recorded === null || found === null) return false;
  if (definition.isSameObject !== undefined) return definition.isSameObject(recorded, found);
  return definition.listing === 'versions' ? isSameVersion(definition, recorded, found) : recorded === found;
}
