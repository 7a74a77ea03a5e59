import { useRights } from '#ui/state/rights.ts';
import { useRefusalBelow } from '#ui/state/use-refusal-below.ts';

const types = 'sys/sync/types';

/** Why the caller may create no destination of any type. */
export function useNewRefusal(): string | undefined {
  const rights = useRights([types]);
  const below = useRefusalBelow('create', 'sys/sync/destinations/');
  return rights.refusal('read', types) ?? below;
}
