import { useRights } from '#ui/state/rights.ts';
import type { Kind } from './kind.ts';

/** Why the caller may not write to a path at which nothing is yet; undefined where it may. */
export function useMakingRefusal(path: string): string | undefined {
  const rights = useRights([path]);
  return rights.may('create', path) ? undefined : rights.refusal('update', path);
}

/** Where a new thing of a kind is sent. Its name is typed later. */
export const makingPath = ({ create, list }: Kind): string => create ?? `${list}/new`;
