import type { DestinationDefinition } from '../../contract.ts';

/** Whether what a look found is what our last put left. Null: the system gave no version, which is the same only as none. */
export function isSameVersion(
  definition: Pick<DestinationDefinition, 'isSameVersion'>,
  recorded: string | null,
  found: string | null,
): boolean {
  if (recorded === null || found === null) return recorded === found;
  return definition.isSameVersion?.(recorded, found) ?? recorded === found;
}
