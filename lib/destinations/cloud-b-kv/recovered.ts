import type { PutItem } from '../contract.ts';
import { names } from './names.ts';

/** Deleted secrets that a create of ours has begun to recover. */
const recoveredMax = 1_000;

/**
 * A recovered secret carries the mark of the association that wrote it before, until our put has gone through. If that put does
 * not come to its end, the next one must not take its own recovery for a foreign secret. (After a crash only
 * the tag of its release tells so; where that could not be set, the user adopts or removes the secret.)
 */
export function newRecovered() {
  const markOf = new Map<string, string>();
  const key = ({ name }: PutItem) => names.key(name);
  return {
    has: (item: PutItem) => markOf.get(key(item)) === item.mark,
    add(item: PutItem): void {
      if (markOf.size < recoveredMax) markOf.set(key(item), item.mark);
    },
    drop: (item: PutItem) => markOf.delete(key(item)),
  };
}
