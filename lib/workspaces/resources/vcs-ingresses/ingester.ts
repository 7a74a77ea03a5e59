import { setTimeout as pause } from 'node:timers/promises';
import { hasGit } from '#network/git/program.ts';
import type { GitSettings } from '#network/git/settings.ts';
import type { Store } from '#store/store.ts';
import { ingest } from './ingest.ts';
import { claimIngresses } from './turns.ts';

/** Commits that one process fetches concurrently. */
const atOnceMax = 4;
/** Interval of the checks for newly due commits while others are fetched. */
const lookAgainMs = 250;

/**
 * Fetches commits until none is due or `signal` aborts. Several processes may do this concurrently. Without git nothing is claimed: commits wait
 * for a process that has it.
 *
 * @returns the number of turns
 * @throws the first error that is not about a repository
 */
export async function ingestDue(store: Store, git: GitSettings, signal: AbortSignal): Promise<number> {
  if (!(await hasGit(git.program))) return 0;
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let turns = 0;
  try {
    while (!signal.aborted && failures.length === 0) {
      const room = atOnceMax - underWay.size;
      const claimed = room > 0 ? await claimIngresses(store, room) : [];
      turns += claimed.length;
      for (const row of claimed) {
        const one: Promise<void> = ingest(store, git, row, signal)
          .catch((error: unknown) => void failures.push(error))
          .finally(() => underWay.delete(one));
        underWay.add(one);
      }
      if (underWay.size === 0) break;
      await Promise.race([...underWay, pause(lookAgainMs, undefined, { signal }).catch(() => {})]);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
  return turns;
}
