import { setTimeout as pause } from 'node:timers/promises';

/** Interval of the looks for newly due work while other work is in progress, in milliseconds. */
const lookAgainMs = 250;

/** Work of one kind. Kinds do not take places from each other. */
export interface Lane {
  /** Turns that are used at the same time. */
  readonly atOnceMax: number;
  /** Claims at most so many turns that are due. A turn that fails leaves its claim to expire, and the others go on. */
  readonly claim: (room: number) => Promise<readonly Turn[]>;
}

/** Uses a claimed turn. */
export type Turn = () => Promise<void>;

/**
 * Claims and uses turns until none is due in any lane or `signal` aborts; at the end all of them are over. A turn that takes long delays no
 * other one.
 *
 * @returns the number of turns
 * @throws the first error of a turn or a claim, after all turns
 */
export async function takeTurns(lanes: readonly Lane[], signal: AbortSignal): Promise<number> {
  const underWay = new Map(lanes.map((lane) => [lane, new Set<Promise<void>>()]));
  const failures: unknown[] = [];
  let count = 0;
  const all = () => [...underWay.values()].flatMap((turns) => [...turns]);
  try {
    while (!signal.aborted) {
      const [countBefore, wasIdle] = [count, all().length === 0];
      for (const [lane, turns] of underWay) {
        const room = lane.atOnceMax - turns.size;
        const claimed = room > 0 ? await lane.claim(room) : [];
        count += claimed.length;
        for (const turn of claimed) {
          const one: Promise<void> = turn()
            .catch((error: unknown) => void failures.push(error))
            .finally(() => turns.delete(one));
          turns.add(one);
        }
      }
      // A turn that ends during a claim may make another one due that the claim does not see.
      if (wasIdle && count === countBefore) break;
      const turns = all();
      if (turns.length > 0) await Promise.race([...turns, pause(lookAgainMs, undefined, { signal }).catch(() => {})]);
    }
  } finally {
    await Promise.all(all());
  }
  if (failures.length > 0) throw failures[0];
  return count;
}
